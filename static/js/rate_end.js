// The last page of a study that only rates: back to where one came from, unless one stays.

const AFTER = 10_000; // ms

export function start() {
  const backLink = document.querySelector("[data-returns] #go-back");
  if (!backLink) return;
  const stay = document.getElementById("stay");
  const note = document.getElementById("leaving");
  const timer = setTimeout(() => location.assign(backLink.href), AFTER);
  stay.hidden = false;
  note.textContent = note.dataset.leaving;
  stay.addEventListener("click", () => {
    clearTimeout(timer);
    stay.hidden = true;
    note.textContent = note.dataset.staying;
  });
}
