// Casting: a slider tells its number, and whoever moves one has chosen a persona of their own.
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
  shown();
});
