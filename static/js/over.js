// What opens over the table instead of another page: a link with data-over="<id of a dialog>".
// The link still leads there without scripts, and with Ctrl or the middle button.

import * as dialogs from "./dialogs.js";

export function start() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-over]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const dialog = document.getElementById(link.dataset.over);
    dialogs.open(dialog);
    dialog.scrollTop = 0;
  });
  document.addEventListener("click", (event) => {
    // on the backdrop: the dialog itself has no padding
    if (event.target.matches("dialog.over-table")) event.target.close();
  });
}
