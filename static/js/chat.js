// The chat before and after a game: what was sent leaves the field, what was refused stays in it; a
// line that is there already is not put in, and so not read aloud, again.

import { onFrame } from "./frames.js";

const form = document.getElementById("talk");

/** Only where it says something else: the log reads what changes. */
function rename(speaker, name) {
  if (speaker.textContent !== name) speaker.firstChild.data = name;
}

function merge(event) {
  const now = event.target;
  if (now.id !== "chat") return;
  event.detail.shouldSwap = false;
  const next = event.detail.fragment.firstElementChild;
  now.hidden = next.hidden;
  now.toggleAttribute("data-open", "open" in next.dataset);
  for (const line of [...now.children]) {
    if (!next.querySelector(`#${line.id}`)) line.remove();
  }
  for (const line of [...next.children]) {
    const twin = now.querySelector(`#${line.id}`);
    const name = line.querySelector(".speaker");
    if (!twin) now.append(line);
    else if (name) rename(twin.querySelector(".speaker"), name.textContent);
  }
}

export function start() {
  if (!form) return;
  const field = form.elements.words;
  const log = document.getElementById("chat-log");
  let sent = "";
  let last = null;
  document.addEventListener("htmx:oobBeforeSwap", merge);
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.requestConfig?.elt === form) sent = field.value;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.requestConfig?.elt !== form || !event.detail.successful) return;
    if (field.value === sent) field.value = "";
  });
  onFrame(() => {
    const newest = document.getElementById("chat").lastElementChild;
    if (newest !== last) log.scrollTop = log.scrollHeight;
    last = newest;
  });
}
