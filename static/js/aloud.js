// What is read aloud is read once: a pushed part of a live region that says the same again is left
// out, and what answers a press has a region of its own.

const PARTS = new Set(["awaited", "lead", "told"]);

/** What of `part` is worth saying: without the digits that run, and how long is left. */
function gist(part) {
  const copy = part.cloneNode(true);
  const classes = [...copy.classList].filter((one) => one !== "is-short" && !one.startsWith("htmx-"));
  for (const time of copy.querySelectorAll("[data-countdown], [data-left]")) time.textContent = "";
  return `${classes}|${copy.hidden}|${copy.dataset.deadline ?? ""}|${copy.innerHTML}`;
}

function keep(event) {
  const now = event.target;
  if (!PARTS.has(now.id)) return;
  if (gist(event.detail.fragment.firstElementChild) === gist(now)) event.detail.shouldSwap = false;
}

/** Reads `text` aloud, politely. */
export function say(text) {
  const notice = document.getElementById("notice");
  if (notice) notice.replaceChildren(text);
}

export function start() {
  document.addEventListener("htmx:oobBeforeSwap", keep);
}
