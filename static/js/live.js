// The doorbell: a socket that brings frames. The page knows its cursor and says it first on every
// connection, so a line that was down for a minute or a night costs nothing but a moment.

import { apply } from "./frames.js";

const FIRST_WAIT = 500; // ms, doubled at every failure
const LONGEST_WAIT = 15_000;
const PATIENCE = 1_500; // shorter breaks are nobody's business
const CROWD = 4429; // more pages of one visitor than a table takes
const RELOAD = 4410; // what the page lacks can't be sent: load it anew
const SELDOM = 30_000; // ms between two such loads
const STALE = 20_000; // a page hidden for longer than this doubts its socket

let socket = null;
let failures = 0;
let retry = 0;
let notice = 0;
let hiddenAt = 0;
let gone = false;

const table = document.getElementById("table");
const link = document.getElementById("link");

/** Sends a message; false where there is no line just now. */
export function send(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

function say(text) {
  link.textContent = text;
  link.hidden = !text;
}

function connect() {
  clearTimeout(retry);
  if (gone) return;
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const mine = new WebSocket(`${scheme}//${location.host}${table.dataset.socket}`);
  socket = mine;
  mine.addEventListener("open", () => {
    failures = 0;
    clearTimeout(notice);
    notice = 0;
    say("");
    const cursor = Number(document.getElementById("cursor").value);
    send("lobby" in table.dataset ? { cursor, lobby: true } : { cursor });
    document.dispatchEvent(new CustomEvent("fabula:online"));
  });
  mine.addEventListener("message", (event) => apply(event.data));
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

function lost(code) {
  if (code === RELOAD && reload()) return;
  if (code >= 4400 && code < 4500) {
    gone = true; // refused for good: trying again would change nothing
    say(code === CROWD ? link.dataset.crowd : link.dataset.gone);
    return;
  }
  notice ||= setTimeout(() => say(link.dataset.lost), PATIENCE);
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures) * (0.5 + Math.random());
  failures += 1;
  clearTimeout(retry);
  retry = setTimeout(connect, wait);
}

function again() {
  const old = socket;
  socket = null; // its "close" is no news
  old?.close();
  failures = 0;
  connect();
}

export function start() {
  connect();
  addEventListener("online", again);
  addEventListener("pageshow", (event) => {
    if (event.persisted) again(); // "Back" brought the page as it was left, its socket long closed
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      hiddenAt = Date.now();
    } else if (socket?.readyState !== WebSocket.OPEN || Date.now() - hiddenAt > STALE) {
      again(); // phones let a sleeping page's socket die without telling it
    }
  });
}
