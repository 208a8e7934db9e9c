// The table's socket brings frames. The page knows its cursor and says it first on every
// connection, so a connection that was down for a minute or a night costs nothing but a moment.
//
// A connection can be gone without anybody telling: so the page asks, and the server answers.
// While there is no socket, polling.js fetches the frames.

import { apply } from "./frames.js";
import * as polling from "./polling.js";

const FIRST_WAIT = 500; // ms, doubled at every failure
const LONGEST_WAIT = 4_000;
const PATIENCE = 1_500; // shorter breaks are nobody's business
const BEAT = 4_000; // ms between two questions whether the server is there
const SILENCE = 7_500; // no answer for so long, and none is expected any more
const ANSWER = "."; // webapp/play/live/consumers.py
const CROWD = 4429; // more pages of one visitor than a table takes
const RELOAD = 4410; // what the page lacks can't be sent: load it anew
const SELDOM = 30_000; // ms between two such loads
const STALE = 20_000; // a page hidden for longer than this doubts its socket

let socket = null;
let begun = 0; // when this socket was asked for
let asked = 0; // when the server was asked whether it is there; 0: it has answered
let failures = 0;
let retry = 0;
let notice = 0;
let hiddenAt = 0;
let gone = false;

const table = document.getElementById("table");
const link = document.getElementById("link");

const isOpen = () => socket?.readyState === WebSocket.OPEN;

/** Sends a message; false where there is no connection just now. */
export function send(message) {
  if (!isOpen()) return false;
  socket.send(JSON.stringify(message));
  return true;
}

/** What the page says of the connection: a key of the texts of #link, "" for nothing. */
function say(key) {
  const text = link.dataset[key] ?? "";
  const line = link.querySelector("[data-says]");
  if (line.textContent !== text) line.textContent = text;
  link.querySelector("[data-try]").hidden = gone;
  link.querySelector("[data-exit-link]").hidden = !gone;
  link.hidden = !text;
}

/** Says what the page has: the server sends the lines after that, and every part anew. */
function askForAll() {
  const cursor = Number(document.getElementById("cursor").value);
  send("lobby" in table.dataset ? { cursor, lobby: true } : { cursor });
}

function connect() {
  clearTimeout(retry);
  if (gone) return;
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const mine = new WebSocket(`${scheme}//${location.host}${table.dataset.socket}`);
  [socket, begun, asked] = [mine, Date.now(), 0];
  mine.addEventListener("open", () => {
    if (mine !== socket) return;
    failures = 0;
    clearTimeout(notice);
    notice = 0;
    polling.stop();
    say("");
    askForAll();
    document.dispatchEvent(new CustomEvent("fabula:online"));
  });
  mine.addEventListener("message", (event) => {
    if (mine !== socket) return;
    asked = 0;
    if (event.data !== ANSWER) apply(event.data);
  });
  mine.addEventListener("close", (event) => {
    if (mine === socket) lost(event.code);
  });
}

function reload() {
  const last = Number(sessionStorage.getItem("fabula.reload") ?? 0);
  if (Date.now() - last < SELDOM) return false;
  sessionStorage.setItem("fabula.reload", Date.now());
  location.reload();
  return true;
}

/** There is no way back to this table: trying again would change nothing. */
function leave(key) {
  gone = true;
  clearTimeout(retry);
  clearTimeout(notice);
  polling.stop();
  if (key === "gone") table.dataset.out = "";
  say(key);
}

function lost(code) {
  if (code === RELOAD && reload()) return;
  if (code >= 4400 && code < 4500) {
    leave(code === CROWD ? "crowd" : "gone");
    return;
  }
  notice ||= setTimeout(() => {
    say("lost");
    polling.start({ works, fails: () => say("lost"), gone: () => leave("gone") });
  }, PATIENCE);
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures) * (0.5 + Math.random());
  failures += 1;
  clearTimeout(retry);
  retry = setTimeout(connect, wait);
}

/** The server answers what the page fetches; `again`: it did not before. */
function works(back) {
  if (isOpen() || gone) return;
  say("slow");
  if (back) again();
}

function drop() {
  const old = socket;
  socket = null; // its "close" is no news
  old?.close();
}

function again() {
  if (gone) return;
  drop();
  failures = 0;
  connect();
}

/** Asks whether the server is there; gives the socket up where it has been silent for too long. */
function beat() {
  if (gone || !socket) return;
  const since = socket.readyState === WebSocket.CONNECTING ? begun : asked;
  if (since && Date.now() - since > SILENCE) {
    drop();
    lost(0);
  } else if (isOpen() && !asked) {
    asked = Date.now();
    send({ ping: true });
  }
}

export function start() {
  connect();
  setInterval(beat, BEAT);
  document.addEventListener("fabula:behind", askForAll);
  addEventListener("online", again);
  addEventListener("pageshow", (event) => {
    if (event.persisted) again(); // "Back" brought the page as it was left, its socket long closed
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      hiddenAt = Date.now();
    } else if (!isOpen() || Date.now() - hiddenAt > STALE) {
      again(); // phones let a sleeping page's socket die without telling it
    }
  });
  link.querySelector("[data-try]").addEventListener("click", () => {
    again();
    polling.now();
  });
  // What was posted has arrived: then the socket can be had, too.
  document.addEventListener("htmx:afterRequest", (event) => {
    const waits = socket?.readyState === WebSocket.CONNECTING && Date.now() - begun < FIRST_WAIT;
    if (event.detail.successful && !isOpen() && !waits) again();
  });
}
