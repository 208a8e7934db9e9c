// The last page: back to where the rater came from, unless they would rather stay.

const AFTER = 10_000; // ms

export function start() {
  const way = document.getElementById("go-back");
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
