// The monitor of a study: its socket brings what is new as JSON, {calls, parts, lists}. A part is put
// into the element of its name, a list's rows one by one. Forms lie outside of both, so that nothing
// typed is lost. While there is no socket the page fetches everything every few seconds.

const FIRST_WAIT = 500; // ms, doubled at every failure
const LONGEST_WAIT = 8_000;
const BEAT = 4_000; // ms between two questions whether the server is there
const SILENCE = 9_000; // no answer for so long, and none is expected any more
const EVERY = 5_000; // ms between two looks without a socket
const PATIENCE = 2_000; // shorter breaks are nobody's business
const TITLED = /^\s*\(\d+\)\s*/;

const page = document.getElementById("monitor");
const line = document.getElementById("monitor-line");

let socket = null;
let asked = 0; // when the server was asked whether it is there; 0: it has answered
let failures = 0;
let timer = 0;
let retry = 0;
let tag = "";
let gone = false;

const isOpen = () => socket?.readyState === WebSocket.OPEN;

function say(key) {
  const text = page.dataset[key] ?? "";
  if (line.textContent !== text) line.textContent = text;
}

/** Who is at the keyboard stays where they are, though their link was drawn anew. */
function keepingFocus(change) {
  const id = document.activeElement?.id;
  change();
  const there = id && document.getElementById(id);
  if (there && document.activeElement !== there) there.focus({ preventScroll: true });
}

function elementOf(html) {
  const box = document.createElement("template");
  box.innerHTML = html.trim();
  return box.content.firstElementChild;
}

function setRows(list, { order, rows }) {
  for (const [id, html] of Object.entries(rows)) {
    const made = elementOf(html);
    const old = document.getElementById(id);
    if (old) old.replaceWith(made);
    else list.append(made);
  }
  const wanted = new Set(order);
  for (const row of [...list.children]) if (!wanted.has(row.id)) row.remove();
  let before = list.firstElementChild;
  for (const id of order) {
    const row = document.getElementById(id);
    if (!row) continue;
    if (row === before) before = before.nextElementSibling;
    else list.insertBefore(row, before);
  }
}

function show({ calls, parts = {}, lists = {} }) {
  keepingFocus(() => {
    for (const [id, html] of Object.entries(parts)) {
      const part = document.getElementById(id);
      if (part) part.innerHTML = html;
    }
    for (const [id, news] of Object.entries(lists)) {
      const list = document.getElementById(id);
      if (list) setRows(list, news);
    }
  });
  if (calls !== undefined) {
    const plain = document.title.replace(TITLED, "");
    document.title = calls ? `(${calls}) ${plain}` : plain;
  }
}

function leave() {
  gone = true;
  clearTimeout(timer);
  clearTimeout(retry);
  say("gone");
}

async function look() {
  clearTimeout(timer);
  if (gone || isOpen()) return;
  try {
    const headers = { "HX-Request": "true", ...(tag && { "If-None-Match": tag }) };
    const reply = await fetch(page.dataset.news, { headers, signal: AbortSignal.timeout(8_000) });
    if (reply.status === 401 || reply.status === 404 || reply.redirected) return leave();
    if (!reply.ok && reply.status !== 304) throw new Error(reply.status);
    if (reply.ok) {
      tag = reply.headers.get("ETag") ?? "";
      show(await reply.json());
    }
    if (!isOpen()) say("polls");
  } catch {
    say("lost");
  }
  timer = setTimeout(look, EVERY);
}

function lost(code) {
  if (code >= 4400 && code < 4500) return leave();
  failures += 1;
  clearTimeout(timer);
  timer = setTimeout(look, PATIENCE);
  clearTimeout(retry);
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures) * (0.5 + Math.random());
  retry = setTimeout(connect, wait);
}

function connect() {
  clearTimeout(retry);
  if (gone) return;
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const mine = new WebSocket(`${scheme}//${location.host}${page.dataset.socket}`);
  [socket, asked] = [mine, 0];
  mine.addEventListener("open", () => {
    failures = 0;
    tag = "";
    clearTimeout(timer);
  });
  mine.addEventListener("message", (event) => {
    if (mine !== socket) return;
    asked = 0;
    if (event.data === ".") return;
    say("");
    show(JSON.parse(event.data));
  });
  mine.addEventListener("close", (event) => {
    if (mine === socket) lost(event.code);
  });
}

function beat() {
  if (gone || !isOpen()) return;
  if (asked && Date.now() - asked > SILENCE) {
    const old = socket;
    socket = null;
    old.close();
    lost(0);
  } else if (!asked) {
    asked = Date.now();
    socket.send("?");
  }
}

connect();
setInterval(beat, BEAT);
addEventListener("online", connect);
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
