// The last page of a study that only rates: back to where one came from, unless one stays.

const AFTER = 10_000; // ms

export function start() {
  const way = document.querySelector("[data-returns] #go-back");
  if (!way) return;
  const stay = document.getElementById("stay");
  const note = document.getElementById("leaving");
  const timer = setTimeout(() => location.assign(way.href), AFTER);
  stay.hidden = false;
  note.textContent = note.dataset.leaving;
  stay.addEventListener("click", () => {
    clearTimeout(timer);
    stay.hidden = true;
    note.textContent = note.dataset.staying;
  });
}
