// Dialogs over the table. While one is open, it has an entry of the browser's history: "Back" closes
// the dialog and does not leave the table. A dialog that closes otherwise takes its entry along.

const entry = () => history.state?.dialog;

/** Open `dialog`, which has an id. */
export function open(dialog) {
  dialog.showModal();
  // Where one dialog takes the place of another, it takes over the entry.
  if (entry()) history.replaceState({ dialog: dialog.id }, "");
  else history.pushState({ dialog: dialog.id }, "");
  dialog.addEventListener("close", () => entry() === dialog.id && history.back(), { once: true });
}

export function start() {
  addEventListener("popstate", () => {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    if (entry()) history.back(); // "Forward" to a dialog: it is opened by its button alone
  });
  // A reload closes dialogs, and keeps their entry.
  if (entry()) history.back();
}
