// How many characters a free text may still have. The server counts the same: code points.

const NEAR = 100; // left, from which on they are counted down

function told(field) {
  const line = field.parentElement.querySelector("[data-count]");
  line.dataset.most ??= line.textContent;
  const left = Number(field.dataset.longest) - [...field.value].length;
  const words = left < 0 ? line.dataset.over : left <= NEAR ? line.dataset.left : "";
  line.textContent = words ? words.replace("NUMBER", Math.abs(left)) : line.dataset.most;
  line.classList.toggle("is-over", left < 0);
}

for (const field of document.querySelectorAll("textarea[data-longest]")) {
  told(field);
  field.addEventListener("input", () => told(field));
}
