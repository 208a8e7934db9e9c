// Shows a setting only while the setting that it depends on has the required value. The field then
// replaces the sentence about it. Entered values stay, and so does a field with an error.
const form = document.querySelector("form.setup");
const given = ({ type, checked, value }) => (type === "checkbox" ? String(checked) : value);

const show = () => {
  for (const input of form.querySelectorAll("[data-needs]")) {
    const { needs, needsValue } = input.dataset;
    const field = input.closest(".field");
    const met = given(form.elements[needs]) === needsValue;
    field.hidden = !met && !field.matches(".is-wrong");
  }
};

for (const sentence of form.querySelectorAll("[data-unseen]")) sentence.hidden = true;
form.addEventListener("change", show);
addEventListener("pageshow", show); // what the browser has kept from before counts
