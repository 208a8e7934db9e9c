// A page of a study's preview. What talks to the server is not started: the page stores nothing.
// The bar's button fills in whatever the page asks.

import * as order from "./order.js";
import { start as startRoom } from "./take_room.js";
import { start as startTime } from "./take_time.js";

const button = document.getElementById("preview-fill");
const right = JSON.parse(document.getElementById("preview-answers")?.textContent || "{}");

let ranks = order.stated();

/** The players of a game are put in order as on a rater's page; the form then sends the places. */
function startOrder() {
  const others = (dimension) => ([name]) => !name.endsWith(`/${dimension}`);
  order.mount(ranks);
  order.show(ranks);
  order.start(
    () => ranks,
    (dimension, values) => {
      ranks = { ...Object.fromEntries(Object.entries(ranks).filter(others(dimension))), ...values };
      order.show(ranks);
    },
  );
  document.getElementById("next")?.addEventListener("click", (event) => {
    if (order.step(1)) event.preventDefault(); // to the next question first
  });
}

/** The fields of the page itself, without those of the bar and of what is hidden in a fold. */
function fields() {
  const found = document.querySelectorAll("main input, main select, main textarea");
  return [...found].filter((field) => field.name && field.type !== "hidden" && !field.closest("details"));
}

/** One option of each question: the right one of a quiz, the middle one of a scale. */
function choose(name, options) {
  if (options.some((option) => option.checked)) return;
  const fits = options.find((option) => option.value === right[name]);
  (fits ?? options[Math.floor((options.length - 1) / 2)]).checked = true;
}

function write(field) {
  if (field.value) return;
  const { low, high } = field.dataset;
  const limits = field.getAttribute("aria-describedby")?.split(" ").map((id) => document.getElementById(id));
  const numbers = limits?.map((line) => line?.textContent ?? "").join(" ").match(/\d+/g);
  if (field.inputMode === "numeric" && numbers?.length > 1) {
    field.value = Math.floor((Number(low ?? numbers[0]) + Number(high ?? numbers[1])) / 2);
  } else if (field.type !== "number") {
    field.value = button.dataset.text;
  }
}

/** Selects the first option of a list. Lists that rank players get different options. */
function select(list) {
  const beside = [...(list.closest("fieldset")?.querySelectorAll("select") ?? [list])];
  const most = list.options.length - 1;
  if (!list.value && most > 0) list.selectedIndex = 1 + (beside.indexOf(list) % most);
}

function fillIn() {
  const groups = new Map();
  for (const field of fields()) {
    if (field.type === "radio") groups.set(field.name, [...(groups.get(field.name) ?? []), field]);
    else if (field.type === "checkbox") field.checked ||= field.required || !groups.has(field.name);
    else if (field instanceof HTMLSelectElement) select(field);
    else write(field);
    if (field.type === "checkbox") groups.set(field.name, groups.get(field.name) ?? []);
  }
  for (const [name, options] of groups) if (options.length) choose(name, options);
  for (const field of fields()) field.dispatchEvent(new Event("filled")); // for a slider beside it
  ranks = order.stated();
  order.show(ranks);
}

if (button) {
  document.documentElement.classList.toggle("is-framed", self !== top);
  button.hidden = fields().length === 0;
  button.addEventListener("click", fillIn);
}
document.getElementById("scroll")?.scrollTo(0, Number.MAX_SAFE_INTEGER); // the latest lines of a table
startOrder();
startTime();
startRoom();
