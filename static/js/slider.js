// A slider beside the field of a number (data-slider). It has no value before somebody moves it, so
// that nobody hands in a place that they did not choose. The field stays what is sent.

function add(field) {
  const slider = document.createElement("input");
  Object.assign(slider, { type: "range", min: field.dataset.low, max: field.dataset.high, step: 1 });
  slider.className = "slider";
  slider.setAttribute("aria-labelledby", `${field.id}-words`);
  slider.setAttribute("aria-describedby", field.getAttribute("aria-describedby"));
  const show = () => {
    const is = field.value.trim() !== "" && Number.isInteger(Number(field.value));
    slider.classList.toggle("is-unset", !is);
    if (is) slider.value = field.value;
  };
  const choose = () => {
    field.value = slider.value;
    show();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  slider.addEventListener("input", choose);
  // A press on the place where it stands, or a key that moves nothing, chooses that place too.
  for (const kind of ["pointerup", "keyup"]) {
    slider.addEventListener(kind, (event) => {
      if (event.key !== "Tab" && field.value === "") choose();
    });
  }
  for (const kind of ["input", "filled"]) field.addEventListener(kind, show);
  field.before(slider);
  show();
}

for (const field of document.querySelectorAll("input[data-slider]")) add(field);
