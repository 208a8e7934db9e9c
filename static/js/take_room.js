// The waiting room: what changes is drawn anew, the time waited runs, and when somebody is asked
// whether they are ready the tab's title says so, with a chime where they want one.

import { SOUND, chime } from "./chime.js";
import { isWanted, want } from "./wishes.js";

const room = document.getElementById("room");
const usual = document.title;

let state = "";

const outlook = () => document.getElementById("outlook");

function tell() {
  const now = outlook()?.dataset.state ?? "";
  if (now === state) return;
  const called = now === "asked" || now === "begins";
  document.title = called ? `● ${room.dataset[now]} – Fabula` : usual;
  if (called && state && isWanted(SOUND)) chime();
  if (now === "asked") document.getElementById("ready").focus();
  state = now;
}

/** Draws the room anew; false where this page is no waiting room, or its time is over. */
export function put(part, pageState) {
  if (!room || !part) return false;
  const fresh = document.createElement("div");
  fresh.innerHTML = part;
  if (fresh.innerHTML.trim() !== room.innerHTML.trim()) {
    const focused = document.activeElement?.id;
    room.replaceChildren(...fresh.childNodes);
    if (focused) room.querySelector(`#${CSS.escape(focused)}`)?.focus();
    tell();
  }
  document.getElementById("stage-page").dataset.pageState = pageState;
  return outlook()?.dataset.state !== "begins";
}

/** Minutes and seconds, put where it is shown. */
function clock(id, milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const time = document.getElementById(id);
  if (time.textContent !== text) time.textContent = text;
}

function tick() {
  const { since, until } = outlook()?.dataset ?? {};
  const now = Date.now() + Number(document.getElementById("stage-page").dataset.skew ?? 0);
  document.getElementById("clock").hidden = !since || Boolean(until);
  document.getElementById("until").hidden = !until;
  if (since) clock("clock-time", now - Date.parse(since));
  if (until) clock("until-time", Date.parse(until) - now);
}

export function start() {
  if (!room) return;
  tell();
  const button = document.getElementById("sound");
  document.getElementById("room-sound").hidden = false;
  button.setAttribute("aria-pressed", String(isWanted(SOUND)));
  button.addEventListener("click", () => {
    want(SOUND, !isWanted(SOUND));
    button.setAttribute("aria-pressed", String(isWanted(SOUND)));
    if (isWanted(SOUND)) chime();
  });
  tick();
  setInterval(tick, 1000);
}
