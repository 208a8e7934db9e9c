// What the rater has stated, until the server has it.
//
// A statement is the whole of one page: every value, or why it was left out. It goes out at once,
// on the revision it was made on, one request at a time. What is not acknowledged lies in this
// browser's storage and goes out again: after a broken line, a reload, tomorrow. Where the server
// has something newer (another tab, a reply that was lost), only what was chosen here since is
// put on top of that.

const PREFIX = "fabula:rate:";
const FIRST_WAIT = 800; // ms, doubled at every failure
const LONGEST_WAIT = 15_000;
const SLOW = 500; // ms after which "Saving" is worth saying
const GIVES_UP = 12_000; // ms for one request

export const all = new Map(); // key of an assignment -> Statement
const board = () => document.getElementById("saved");

/** "saved", "saving", "waiting", "away", or a sentence of the server's. */
export function say(what) {
  const line = board();
  if (!line) return;
  const text = line.dataset[what] ?? what;
  if (line.textContent !== text) line.textContent = text;
  line.classList.toggle("is-saved", what === "saved" && text !== "");
  line.classList.toggle("is-waiting", what !== "saved" && what !== "saving");
}

/** Say how it stands with everything that was stated. */
export function tell() {
  const pending = [...all.values()].filter((statement) => statement.pending());
  const failing = pending.find((statement) => statement.failures);
  const refused = [...all.values()].find((statement) => statement.refusal);
  if (refused) say(refused.refusal);
  else if (failing) say(failing.why || "waiting");
  else if (pending.some((statement) => statement.slow)) say("saving");
  else if (!pending.length) say("saved");
}

export class Statement {
  constructor(key, stored) {
    this.key = key;
    this.stored = stored; // what the server has: { revision, values, skip }
    this.mine = null; // what was said since: { values, skip, anew, ranked }
    this.ms = 0; // time spent on the page
    this.failures = 0;
    this.why = ""; // what the server said of the last failure
    this.refusal = "";
    this.slow = false;
    this.sending = false;
    this.timer = 0;
  }

  /** The statement of an assignment; `stored`: what its page says of it. */
  static of(key, stored) {
    let found = all.get(key);
    if (!found) {
      all.set(key, (found = new Statement(key, stored)));
      found.recall();
    } else if (stored.revision > found.stored.revision) {
      found.stored = stored;
    }
    if (found.pending()) found.send();
    return found;
  }

  pending() {
    return this.mine !== null;
  }

  /** What stands, mine on top of what the server has. */
  state() {
    const { stored, mine } = this;
    if (!mine) return { values: stored.values, skip: stored.skip };
    if (mine.skip !== null) return { values: {}, skip: mine.skip };
    return { values: { ...(mine.anew ? {} : this.kept(mine)), ...mine.values }, skip: null };
  }

  /** What is stored and was not said anew; a ranking is said as a whole. */
  kept({ ranked = [] }) {
    const rows = Object.entries(this.stored.values);
    return Object.fromEntries(rows.filter(([name]) => !ranked.includes(name.split("/")[1])));
  }

  set(field, value) {
    const before = this.state();
    const anew = before.skip !== null || Boolean(this.mine?.anew);
    const values = this.mine && this.mine.skip === null ? this.mine.values : {};
    this.say({ values: { ...values, [field]: value }, skip: null, anew });
  }

  /** All places of a ranking, as `values` by field; whoever is not among them has none. */
  rank(dimension, values) {
    const before = this.state();
    const anew = before.skip !== null || Boolean(this.mine?.anew);
    const said = this.mine && this.mine.skip === null ? this.mine : { values: {} };
    const others = Object.entries(said.values).filter(([n]) => n.split("/")[1] !== dimension);
    const ranked = [...new Set([...(said.ranked ?? []), dimension])];
    this.say({ values: { ...Object.fromEntries(others), ...values }, skip: null, anew, ranked });
  }

  leaveOut(reason) {
    this.say({ values: {}, skip: reason, anew: false });
  }

  say(mine) {
    this.mine = mine;
    this.refusal = "";
    this.keep();
    this.send();
  }

  keep() {
    try {
      if (this.mine) {
        const { stored, mine, ms } = this;
        localStorage.setItem(PREFIX + this.key, JSON.stringify({ stored, mine, ms }));
      } else localStorage.removeItem(PREFIX + this.key);
    } catch {
      // private windows may refuse storage; then it is only as safe as this page
    }
  }

  /** A page that was asked for before the last reply came may say something older. */
  acknowledge() {
    try {
      sessionStorage.setItem(PREFIX + this.key, JSON.stringify(this.stored));
    } catch {
      // then a reload at a bad moment may show what was stored before
    }
  }

  recall() {
    try {
      const known = JSON.parse(sessionStorage.getItem(PREFIX + this.key) ?? "null");
      if (this.stored && known?.revision > this.stored.revision) this.stored = known;
      const kept = JSON.parse(localStorage.getItem(PREFIX + this.key) ?? "null");
      if (!kept?.mine) return;
      this.mine = kept.mine;
      this.ms = kept.ms ?? 0;
      this.stored ??= kept.stored;
    } catch {
      this.mine = null;
    }
  }

  async send() {
    clearTimeout(this.timer);
    if (this.sending || !this.mine) return;
    this.sending = true;
    const said = JSON.stringify(this.mine);
    const slow = setTimeout(() => {
      this.slow = true;
      tell();
    }, SLOW);
    let again = false;
    try {
      again = await this.answered(await this.post(), said);
    } catch {
      this.why = "";
      this.failed();
    }
    clearTimeout(slow);
    this.slow = this.sending = false;
    this.keep();
    tell();
    if (again && this.mine) this.send();
  }

  post() {
    const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
    const { values, skip } = this.state();
    const active = Math.min(Math.round(this.ms), 86_400_000);
    return fetch(`/rate/item/${this.key}/`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token },
      body: JSON.stringify({ values, skip, revision: this.stored.revision, active_ms: active }),
      keepalive: true,
      signal: AbortSignal.timeout(GIVES_UP),
    });
  }

  /** Take the server's answer; true where something is still to be sent at once. */
  async answered(answer, said) {
    const taken = answer.status === 200;
    const data = await answer.json().catch(() => ({}));
    const known = "revision" in data || "finished" in data;
    if ((taken || answer.status === 409) && !known) {
      throw new Error("the reply broke off"); // for instance because the page is left
    }
    if (answer.status >= 500 || answer.status === 429) {
      this.why = data.error ?? ""; // the server said why: its disk is full
      this.failed();
      return false;
    }
    this.failures = 0;
    this.why = "";
    if (taken || (answer.status === 409 && !data.finished)) {
      const { revision, values, skip } = data;
      this.stored = { revision, values, skip };
      this.acknowledge();
      const same = JSON.stringify(this.mine) === said;
      if (same && (taken || this.alreadyStored())) this.mine = null;
      if (!taken) document.dispatchEvent(new CustomEvent("fabula:stated", { detail: this.key }));
      return true;
    }
    this.refused(answer.status, data);
    return false;
  }

  alreadyStored() {
    const { values, skip } = this.state();
    const names = Object.keys(values);
    return (
      skip === this.stored.skip &&
      names.length === Object.keys(this.stored.values).length &&
      names.every((name) => values[name] === this.stored.values[name])
    );
  }

  /** The server won't have it: erased, handed in, not to be understood, not this browser's. */
  refused(status, data) {
    this.refusal = data.error || board()?.dataset.waiting || "";
    if (status === 409 || status === 410 || status === 422) this.mine = null;
    document.dispatchEvent(new CustomEvent("fabula:stated", { detail: this.key }));
    if (data.way) location.replace(data.way); // it is over: to the page that says so
  }

  failed() {
    this.failures += 1;
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (this.failures - 1));
    this.timer = setTimeout(() => this.send(), wait * (0.75 + Math.random() / 2));
  }
}

/** Wait until nothing is on its way, `patience` ms at most; false where something still is. */
export async function allSent(patience) {
  const until = Date.now() + patience;
  const waiting = () => [...all.values()].some((statement) => statement.pending());
  sendAll(); // once: who is refused or cut off waits longer each time, and sends by itself
  while (waiting() && Date.now() < until) {
    await new Promise((done) => setTimeout(done, 60));
  }
  return !waiting();
}

function sendAll() {
  for (const statement of all.values()) statement.send();
}

/** What earlier pages could not send. */
function recallAll() {
  const keys = [];
  for (let i = 0; i < localStorage.length; i += 1) keys.push(localStorage.key(i));
  for (const name of keys.filter((key) => key?.startsWith(PREFIX))) {
    const key = name.slice(PREFIX.length);
    if (all.has(key)) continue;
    const statement = new Statement(key, null);
    statement.recall();
    if (statement.mine && statement.stored) all.set(key, statement);
  }
}

export function keepSending() {
  try {
    recallAll();
  } catch {
    // no storage, nothing kept
  }
  addEventListener("online", sendAll);
  addEventListener("offline", tell);
  document.addEventListener("visibilitychange", sendAll);
  const left = all.size;
  sendAll();
  // A page that lists what is missing must be read anew when something has just come in.
  if (left && !document.querySelector("main[data-key]")) {
    allSent(5_000).then((sent) => sent && document.querySelector(".all-pages") && location.reload());
  }
}
