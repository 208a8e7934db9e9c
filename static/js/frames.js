// One way in for everything the server sends: a frame from the socket and the body of a response
// are the same kind of HTML (out-of-band partials), and both end in one event, "fabula:frame",
// on which the other modules look at the page again. "fabula:coming" tells of it beforehand.
//
// A response can come after frames of the socket that were made later. Its lines find their places,
// but its other parts are older than what they replace, and the server thinks they are shown:
// "fabula:behind" has the page ask for all of them (live.js).

const table = () => document.getElementById("table");
const cursor = () => Number(document.getElementById("cursor")?.value ?? 0);

export function apply(html) {
  const before = cursor();
  document.dispatchEvent(new CustomEvent("fabula:coming", { detail: html }));
  window.htmx.swap(table(), html, { swapStyle: "none", swapDelay: 0, settleDelay: 0 });
  document.dispatchEvent(new CustomEvent("fabula:frame"));
  if (cursor() < before) document.dispatchEvent(new CustomEvent("fabula:behind"));
}

/** Calls `look` now and after every frame. */
export function onFrame(look) {
  document.addEventListener("fabula:frame", look);
  look();
}

export function start() {
  // htmx would look for the targets in the tree of the form that asked. A push may have replaced
  // that form by then, and what the server said would be lost: so we put it in place ourselves.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!event.detail.shouldSwap) return;
    event.detail.shouldSwap = false;
    apply(event.detail.serverResponse);
  });
}
