// What is typed on a stage's page (a form marked data-keeps), until the server has it.
//
// A few seconds after something was typed the form is posted with do=save, on the revision it was
// made on. What the server has not acknowledged lies in this browser's storage and goes out again:
// after a broken line, a reload, tomorrow. Where the server has something newer (another tab, another
// device) what was not touched here is taken from there. Handing in is the form's own button.

const PREFIX = "fabula:take:";
const AFTER = 3_000; // ms
const LONGEST_WAIT = 15_000;
const GIVES_UP = 10_000; // ms for one request
const FIELDS = "textarea, select, input:not([type=hidden], [type=submit], [readonly])";

const stagePage = document.getElementById("stage-page");
const form = stagePage?.querySelector("form[data-keeps]") ?? null;
const touched = new Set(); // names of fields

let dirty = false;
let sending = null; // the request on its way
let failures = 0;
let timer = 0;
let wants = null; // the button to hand in by, once the line is back

const page = () => `${PREFIX}${location.pathname}#`;
// A quiz asks anew at each try (`tried`): what was chosen in one is no answer in the next.
// So with the pages of a questionnaire (`part`).
const key = () => {
  const { step, tried, part } = form?.elements ?? {};
  return form ? `${page()}${step.value}/${tried?.value ?? ""}${part ? `#${part.value}` : ""}` : "";
};

function say(what) {
  const line = document.getElementById("saved");
  const text = stagePage.dataset[what] ?? what;
  if (line.textContent !== text) line.textContent = text;
}

function fields() {
  return [...form.querySelectorAll(FIELDS)].filter((field) => field.name);
}

const ticks = (field) => field.type === "radio" || field.type === "checkbox";

/** What a form of these fields would send: name -> values. */
function values() {
  const found = {};
  for (const field of fields()) {
    found[field.name] ??= [];
    if (!ticks(field) || field.checked) found[field.name].push(field.value);
  }
  return found;
}

/** Puts values into the fields of those names. */
function fill(told) {
  for (const field of fields()) {
    const given = told[field.name];
    if (!given) continue;
    if (ticks(field)) field.checked = given.includes(field.value);
    else field.value = given[0] ?? "";
    field.dispatchEvent(new Event("filled")); // for the slider beside it
  }
}

function stored(change) {
  try {
    return change(localStorage);
  } catch {
    return null; // full, or refused: then the server alone has it
  }
}

function keep() {
  const told = values();
  const mine = Object.fromEntries([...touched].map((name) => [name, told[name] ?? []]));
  stored((storage) => storage.setItem(key(), JSON.stringify(mine)));
}

/** Puts back what was typed here and never arrived; whether there was any. */
function recall() {
  const mine = JSON.parse(stored((storage) => storage.getItem(key())) ?? "null");
  if (!mine) return false;
  fill(mine);
  for (const name of Object.keys(mine)) touched.add(name);
  return true;
}

/** What was typed on stages that are over is theirs no more. */
function tidy() {
  stored((storage) => {
    for (const name of Object.keys(storage)) {
      if (name.startsWith(page()) && name !== key()) storage.removeItem(name);
    }
  });
}

function body() {
  const data = new FormData(form);
  data.set("do", "save");
  return data;
}

/** The server has something newer: what was not touched here is shown as it is there. */
async function takeOver(reply) {
  const { revision, values: told } = await reply.json();
  if (form.elements.revision) form.elements.revision.value = revision;
  for (const name of touched) delete told[name];
  fill(told);
  dirty = true;
}

async function post() {
  dirty = false;
  const reply = await fetch(location.href, {
    method: "POST",
    body: body(),
    headers: { Accept: "application/json" }, // for an error; what is taken has no body
    signal: AbortSignal.timeout(GIVES_UP),
  });
  if (reply.redirected) {
    location.reload(); // the stage is over
    return;
  }
  if (reply.status === 409) {
    await takeOver(reply);
    timer = setTimeout(save, AFTER);
    return;
  }
  if (reply.status >= 500 || reply.status === 429) {
    const { error } = await reply.json().catch(() => ({}));
    throw Object.assign(new Error(reply.status), { why: error }); // its disk may be full
  }
  if (!reply.ok) {
    say("refused");
    return;
  }
  const revision = reply.headers.get("Revision");
  if (revision && form.elements.revision) form.elements.revision.value = revision;
  if (dirty) return;
  touched.clear();
  stored((storage) => storage.removeItem(key()));
  say("saved");
}

async function save() {
  clearTimeout(timer);
  if (sending) await sending;
  if (!dirty) return;
  sending = post()
    .then(() => {
      failures = 0;
    })
    .catch(({ why }) => {
      dirty = true;
      failures += 1;
      say(why ?? "waiting");
      timer = setTimeout(save, Math.min(LONGEST_WAIT, AFTER * failures));
    });
  await sending;
  sending = null;
  if (dirty && !failures) timer = setTimeout(save, AFTER); // typed meanwhile
}

/** Everything that was typed is on the server, or it can't be reached just now. */
export async function settle() {
  if (form) await save();
}

function typed(event) {
  if (!event.target.name) return;
  touched.add(event.target.name);
  keep();
  if (!dirty) {
    dirty = true;
    clearTimeout(timer);
    if (!sending) timer = setTimeout(save, AFTER);
  }
  if (!failures) say("");
}

async function back() {
  failures = 0;
  await save();
  if (wants && !failures) form.requestSubmit(wants);
}

function handIn(event) {
  if (navigator.onLine) {
    clearTimeout(timer);
    dirty = false; // it goes along with the form; where that does not arrive it is in the storage
    return;
  }
  event.preventDefault();
  wants = event.submitter;
  say("waiting");
}

function leaving() {
  if (dirty) fetch(location.href, { method: "POST", body: body(), keepalive: true }).catch(() => {});
}

export function start() {
  if (stagePage) tidy();
  if (!form) return;
  if (recall()) {
    dirty = true;
    save();
  }
  form.addEventListener("input", typed);
  form.addEventListener("change", typed);
  form.addEventListener("submit", handIn);
  addEventListener("online", back);
  addEventListener("pagehide", leaving);
}
