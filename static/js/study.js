// The researchers' pages: links to copy, and choosing many games at once.

import * as copy from "./copy.js";

function all(box) {
  for (const one of document.querySelectorAll(`[name="${box.dataset.all}"]`)) {
    if (!one.closest("[hidden]")) one.checked = box.checked;
  }
}

copy.start();
document.addEventListener("change", (event) => {
  if (event.target.dataset?.all) all(event.target);
});
