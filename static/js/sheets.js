// "My role" and "my notes" stand open beside the table where there is room, and rise from the
// bottom bar as a sheet where there is not. A push must not fold what the reader opened.

import { onFrame } from "./frames.js";

const wide = matchMedia("(min-width: 64rem)");
const state = new Map(); // id -> open
const scrolled = new Map(); // id of a sheet's body -> how far it is scrolled
let before = ""; // what the table waited for

const sheets = () => [...document.querySelectorAll("details[data-sheet]")];

function restore() {
  for (const sheet of sheets()) {
    sheet.open = state.get(sheet.id) ?? (wide.matches && !("fold" in sheet.dataset));
  }
  for (const [id, top] of scrolled) {
    const body = document.getElementById(id);
    if (body) body.scrollTop = top;
  }
}

/** Note how far bodies with an id are scrolled: a push puts new ones in their place. */
function noteScroll() {
  for (const body of document.querySelectorAll(".sheet-body[id]")) scrolled.set(body.id, body.scrollTop);
}

function reset() {
  state.clear();
  restore();
}

function close(except) {
  if (wide.matches) return;
  for (const sheet of sheets()) {
    if (sheet === except || !sheet.open) continue;
    sheet.open = false;
    state.set(sheet.id, false);
  }
}

/** On a phone a sheet lies over what the table asks for: it goes when that becomes one's turn or
 *  the game ends, unless one is writing in it. */
function makeWay() {
  const { mine, status } = document.getElementById("awaited").dataset;
  const now = `${status} ${mine !== undefined}`;
  const news = before && now !== before && (mine !== undefined || status !== before.split(" ")[0]);
  before = now;
  if (news && !document.activeElement.matches("[data-sheet] :is(input, textarea, select)")) close(null);
}

/** Open a sheet from elsewhere on the page; on a phone it takes the place of another. */
export function show(id) {
  const sheet = document.getElementById(id);
  close(sheet);
  sheet.open = true;
  state.set(id, true);
}

export function start() {
  document.addEventListener("fabula:coming", noteScroll);
  onFrame(restore);
  onFrame(makeWay);
  document.addEventListener("fabula:refused", () => close(null));
  wide.addEventListener("change", reset);
  // "toggle" does not bubble, and comes late: the click on the summary is the reader's own deed.
  document.addEventListener("click", (event) => {
    const summary = event.target.closest("details[data-sheet] > summary");
    const sheet = summary?.parentElement ?? event.target.closest("details[data-sheet]");
    if (summary) state.set(sheet.id, !sheet.open);
    close(sheet);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || wide.matches) return;
    const open = sheets().find((sheet) => sheet.open);
    close(null);
    open?.querySelector("summary").focus();
  });
}
