// Whether another page is to be shown. The socket says "look again" and nothing more; beside it the
// page asks by itself every few seconds, so that a network without sockets costs nothing but moments.

import { putMessages } from "./ask.js";
import { hadInput } from "./take_idle.js";
import { setDeadline } from "./take_time.js";
import { settle } from "./take_typed.js";
import { put } from "./take_room.js";

const EVERY = 5_000; // ms between two looks without a socket, and always in the waiting room
const SELDOM = 20_000; // with one
const BEAT = 10_000; // ms between two signs of life
const LONGEST_WAIT = 15_000;

const stagePage = document.getElementById("stage-page");

let socket = null;
let failures = 0;
let timer = 0;
let going = false;

const isOpen = () => socket?.readyState === WebSocket.OPEN;

/** Shows the current page. What is typed is stored first. */
async function go() {
  if (going) return;
  going = true;
  clearTimeout(timer);
  await settle();
  location.reload();
}

async function look() {
  clearTimeout(timer);
  try {
    const reply = await fetch(stagePage.dataset.news + (hadInput() ? "?input=1" : ""), { headers: { Accept: "application/json" } });
    if (reply.redirected) return go(); // this browser is not the participant's any more
    if (reply.ok) {
      const state = await reply.json();
      putMessages(state.messages_html);
      setDeadline(state.deadline);
      const isNew = state.page_state !== stagePage.dataset.pageState;
      if (isNew && !put(state.part, state.page_state)) return go();
      if (state.part) put(state.part, state.page_state);
    }
  } catch {
    // the next look follows
  }
  const often = !isOpen() || document.getElementById("room");
  timer = setTimeout(look, often ? EVERY : SELDOM);
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const mine = new WebSocket(`${scheme}//${location.host}${stagePage.dataset.socket}`);
  socket = mine;
  mine.addEventListener("open", () => {
    failures = 0;
    look(); // whatever was said while nobody listened
  });
  mine.addEventListener("message", (event) => {
    if (event.data === "!") look();
  });
  mine.addEventListener("close", (event) => {
    if (mine !== socket || (event.code >= 4400 && event.code < 4500)) return;
    failures += 1;
    const wait = Math.min(LONGEST_WAIT, 500 * 2 ** failures) * (0.5 + Math.random());
    setTimeout(connect, wait);
  });
}

export function start() {
  if (!stagePage) return;
  connect();
  timer = setTimeout(look, EVERY);
  setInterval(() => isOpen() && socket.send(hadInput() ? "i" : "?"), BEAT);
  addEventListener("online", look);
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload(); // "Back" brought a page that may be over
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) look();
  });
}
