// My notes are sent as soon as they change; a word beside them says whether they were kept.

const SHOWN_FOR = 2_500; // ms

function tell(form, text) {
  const state = form.querySelector("[data-note-state]");
  state.textContent = text;
  return state;
}

export function start() {
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = event.detail.requestConfig?.elt.closest("form[data-note]");
    if (!form) return;
    const { saved, failed } = form.querySelector("[data-note-state]").dataset;
    const state = tell(form, event.detail.successful ? saved : failed);
    state.classList.toggle("is-wrong", !event.detail.successful);
    if (event.detail.successful) setTimeout(() => tell(form, ""), SHOWN_FOR);
  });
}
