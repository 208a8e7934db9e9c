// What the browser has kept from before (its Back button) is not left in a closed fold.
const advanced = document.getElementById("advanced");
addEventListener("pageshow", () => {
  const changed = (e) =>
    e.tagName === "SELECT"
      ? [...e.options].some((o) => o.selected !== o.defaultSelected) && e.selectedIndex > 0
      : /radio|checkbox/.test(e.type)
        ? e.checked !== e.defaultChecked
        : e.value !== e.defaultValue;
  if ([...advanced.querySelectorAll("input, select, textarea")].some(changed)) advanced.open = true;
});
// Casting: a slider tells its number, and whoever moves one, or writes a style, has
// chosen a persona of their own.
document.querySelectorAll(".cast").forEach((cast) => {
  const persona = cast.querySelector("select[name$=-persona]");
  const shown = () => cast.classList.toggle("is-own", persona.value === "own");
  persona.addEventListener("change", shown);
  cast.querySelectorAll("input[type=range]").forEach((slider) => {
    slider.addEventListener("input", () => {
      slider.closest(".slider").querySelector("output").textContent = slider.value;
      persona.value = "own";
      shown();
    });
  });
  cast.querySelector("textarea[name$=-style]").addEventListener("input", ({ target }) => {
    if (target.value.trim()) persona.value = "style";
    shown();
  });
  shown();
});
