// A rater's pages: what starts here, and how one turns them.
//
// A page is put in place of the one before without leaving the document, and the next ones are
// fetched ahead: so a broken line stops nobody in the middle of a thought. What is stated is kept
// by statements.js until the server has it. Without scripts everything is plain forms.

import { start as startCopying } from "./copy.js";
import { step } from "./order.js";
import { mount, start as startSheet } from "./rate_sheet.js";
import { allSent, keepSending, say, tell } from "./statements.js";

const AHEAD = 2; // pages fetched before they are asked for
const PATIENCE = 2_500; // ms that a page waits for its last statement before it is left

const ahead = new Map(); // address -> promise of a page
const visited = new Map(); // address -> page, for turning back while there is no line
let wanted = ""; // where the rater wants to go, while there is no line

async function load(address, early) {
  const answer = await fetch(address, { headers: early ? { "X-Ahead": "1" } : {} });
  const text = await answer.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  const fits = answer.ok && page.querySelector("main[data-key]");
  return { address: answer.url, page: fits ? page : null };
}

function fetched(address, early) {
  if (!ahead.has(address)) {
    const page = load(address, early);
    ahead.set(address, page);
    page.catch(() => ahead.delete(address));
  }
  return ahead.get(address);
}

function fetchAhead(from, count) {
  const next = from.querySelector("#next");
  if (!count || !next || "last" in next.dataset) return;
  fetched(next.dataset.to, true)
    .then(({ page }) => page && fetchAhead(page, count - 1))
    .catch(() => {});
}

/** Tell the server that a page fetched ahead is looked at now. */
function seen(key) {
  const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
  const headers = { "X-CSRFToken": token };
  fetch(`/rate/item/${key}/seen`, { method: "POST", headers, keepalive: true }).catch(() => {});
}

function put(page) {
  for (const id of ["place", "main"]) {
    document.getElementById(id).replaceWith(document.importNode(page.getElementById(id), true));
  }
  document.title = page.title;
  visited.set(location.pathname, page);
  scrollTo(0, 0);
  if (!mount()) document.getElementById("main").focus({ preventScroll: true });
  seen(document.getElementById("main").dataset.key);
  fetchAhead(document, AHEAD);
}

/** To a page of another kind: not before everything is stored, nor into a browser's "no line". */
async function leave(address) {
  if (!(await allSent(PATIENCE))) {
    say("waiting");
    return;
  }
  try {
    await fetch(address, { method: "HEAD", headers: { "X-Ahead": "1" } });
    location.assign(address);
  } catch {
    say("away");
  }
}

/** To a page of mine; `kept`: the browser's history has it already. */
async function turnTo(address, kept = false) {
  wanted = address;
  try {
    const found = await fetched(address, false);
    ahead.delete(address); // what it says of its values is old the next time
    if (wanted !== address) return;
    wanted = "";
    if (!found.page) {
      await leave(found.address);
      return;
    }
    if (!kept) history.pushState(null, "", found.address);
    put(found.page);
  } catch {
    turnBack(address, kept);
  }
}

/** Without a line: a page that was here before; what was said on it is known here. */
function turnBack(address, kept) {
  const path = new URL(address, location.href).pathname;
  const page = visited.get(path);
  if (!page) {
    say("away");
    return;
  }
  wanted = "";
  if (!kept) history.pushState(null, "", path);
  put(page);
}

/** To another page; in a ranking first to its other questions, unless the `whole` is left. */
function turn(button, { whole = false } = {}) {
  if (!whole && step(button?.id === "next" ? 1 : -1)) return;
  if (!button) return;
  if ("last" in button.dataset) leave(button.dataset.to);
  else turnTo(button.dataset.to);
}

function startTurning() {
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "form") return;
    event.preventDefault();
    turn(event.submitter ?? document.getElementById("next"));
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-leave]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    leave(link.href);
  });
  addEventListener("popstate", () => turnTo(location.href, true));
  addEventListener("online", () => wanted && turnTo(wanted));
  visited.set(location.pathname, document.cloneNode(true));
  startSheet(turn);
  if (document.getElementById("main").dataset.revision !== "0") tell();
  fetchAhead(document, AHEAD);
}

startCopying();
keepSending();
if (document.querySelector("main[data-key]")) startTurning();
