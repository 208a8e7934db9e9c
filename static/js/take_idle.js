// Signs of life: the page reports whether anything was pressed, moved, typed or scrolled since its
// last report (take_news.js). A minute before the server would let an idle participant go, it asks.

const WARNING = 60_000; // ms before the end
const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel", "touchmove", "scroll"];

const stagePage = document.getElementById("stage-page");
const dialog = document.getElementById("idle");
const title = document.title;

let last = Date.now();
let reported = true; // opening a page is no sign: pages open by themselves

/** Whether there was input since the last call. */
export function hadInput() {
  const fresh = !reported;
  reported = true;
  return fresh;
}

function note() {
  last = Date.now();
  reported = false;
}

function ask() {
  const limit = Number(stagePage.dataset.idle) * 60_000;
  if (dialog.open || Date.now() - last < limit - WARNING) return;
  dialog.showModal();
  document.title = dialog.querySelector("h2").textContent;
}

export function start() {
  if (!stagePage) return;
  for (const sign of SIGNS) addEventListener(sign, note, { passive: true, capture: true });
  if (!dialog) return;
  dialog.addEventListener("close", () => {
    note();
    document.title = title;
  });
  setInterval(ask, 5_000);
}
