// Addresses to hand on: one press selects and copies them.

import { onFrame } from "./frames.js";

const SHOWN = 2_000; // ms that "Copied" stands

async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // pages without TLS have no clipboard; the selection is copied
  }
  const word = button.querySelector("span");
  const usual = word.textContent;
  if (usual === button.dataset.copied) return;
  word.textContent = button.dataset.copied;
  setTimeout(() => (word.textContent = usual), SHOWN);
}

/** A part that is pushed does not know the site's address: the field shows it all the same. */
function completeAddresses() {
  for (const field of document.querySelectorAll(".copy-field")) {
    const [, words, path] = field.defaultValue.match(/^(.* )?(\/.*)$/) ?? [];
    if (path) field.value = (words ?? "") + new URL(path, location.href).href;
  }
}

export function start() {
  onFrame(completeAddresses);
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (button) copy(button);
  });
}
