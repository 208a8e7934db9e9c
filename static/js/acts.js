// Acts: buttons that belong to the form #act wherever they stand. What was pressed is named here,
// because htmx looks for the pressed button only inside its form. A button that is gone when it has done
// its work may have something to say (data-done).

import { say } from "./aloud.js";

const form = document.getElementById("act");

export function start() {
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt !== form) return;
    const button = event.detail.triggeringEvent?.submitter;
    if (button?.name) event.detail.formData.set(button.name, button.value);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.requestConfig?.elt !== form || !event.detail.successful) return;
    const button = event.detail.requestConfig.triggeringEvent?.submitter;
    if (button?.dataset.done) say(button.dataset.done);
  });
}
