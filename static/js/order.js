// Putting the players of a game in order, one question at a time. A player who is pressed gets the
// first free place, pressed again gives it up; dragging, keys, and the list of each place do the
// rest. Places keep where they are on the page: only who stands on them changes.

const FAR = 6; // px from where a press becomes a drag

const orders = () => [...document.querySelectorAll("fieldset.order")];
const shownOrder = () => orders().find((order) => !order.hidden);
const listsOf = (order) => [...order.querySelectorAll(".place-row select")];
const playersOf = (order) => [...order.querySelectorAll(".player")];

/** Place by place, from the first: who stands on it, "" for nobody. */
function placesIn(order, values) {
  const { dimension, seats } = order.dataset;
  const found = Array(Number(seats)).fill("");
  for (const [name, value] of Object.entries(values)) {
    const [slot, key] = name.split("/");
    if (key === dimension) found[seats - value] = slot;
  }
  return found;
}

/** The values of places: the first has as many as there are seats. */
function valuesOf(order, places) {
  const { dimension, seats } = order.dataset;
  const taken = places.map((slot, at) => [`${slot}/${dimension}`, seats - at]);
  return Object.fromEntries(taken.filter((_, at) => places[at]));
}

/** Put somebody on a place; whoever stands between it and the nearest gap moves up by one. */
export function put(places, slot, at) {
  const after = [...places];
  let gap = after.indexOf(slot);
  if (gap < 0 && !after[at]) gap = at;
  if (gap < 0) gap = after.indexOf("", at);
  if (gap < 0) gap = after.lastIndexOf("", at);
  after.splice(gap, 1);
  after.splice(at, 0, slot);
  return after;
}

/** Choose who stands on a place from its list: the two change places. */
export function exchange(places, slot, at) {
  const after = [...places];
  const from = slot ? after.indexOf(slot) : -1;
  if (from >= 0) after[from] = places[at];
  after[at] = slot;
  return after;
}

const without = (places, slot) => places.map((one) => (one === slot ? "" : one));

const servedIn = (list) => [...list.options].find((option) => option.defaultSelected)?.value ?? "";

/** The lists used before the scripts ran, each as a function that uses it again. */
export function usedEarly() {
  const used = orders().flatMap(listsOf).filter((list) => list.value !== servedIn(list));
  return used.map((list) => {
    const { value } = list;
    return () => {
      list.value = value;
      list.dispatchEvent(new Event("change", { bubbles: true }));
    };
  });
}

/** The values that the page came with. */
export function stated() {
  const found = {};
  for (const order of orders()) {
    const places = listsOf(order).map(servedIn);
    Object.assign(found, valuesOf(order, places));
  }
  return found;
}

export function show(values) {
  for (const order of orders()) {
    const places = placesIn(order, values);
    listsOf(order).forEach((list, at) => {
      list.value = places[at];
      list.closest(".place-row").classList.toggle("is-taken", Boolean(places[at]));
    });
    for (const player of playersOf(order)) {
      const at = places.indexOf(player.dataset.slot);
      player.setAttribute("aria-pressed", String(at >= 0));
      player.querySelector(".player-place").textContent = at < 0 ? "" : at + 1;
      const said = at < 0 ? "" : `, ${order.dataset.place} ${at + 1}`;
      player.querySelector(".player-said").textContent = said;
    }
    const link = linkTo(order);
    const whole = places.every(Boolean);
    link.classList.toggle("is-whole", whole);
    link.querySelector(".order-said").textContent = whole ? order.dataset.done : "";
  }
}

const linkTo = (order) =>
  document.querySelector(`.order-link[data-order="${order.dataset.dimension}"]`);

/** One question is before the rater, with what has to be known for it. */
function open(order) {
  for (const other of orders()) {
    other.hidden = other !== order;
    if (other === order) linkTo(other).setAttribute("aria-current", "step");
    else linkTo(other).removeAttribute("aria-current");
  }
  const deeds = document.getElementById("deeds");
  if (deeds) deeds.hidden = !("deeds" in order.dataset);
  if (deeds && !deeds.hidden) deeds.open = true;
  const last = orders().at(-1) === order;
  document.querySelector("#next .next-question").hidden = last;
  document.querySelector("#next .next-page").hidden = !last;
  document.querySelector(".rate-answers").scrollTop = 0;
}

function go(order) {
  open(order);
  order.focus({ preventScroll: true });
  document.querySelector(".order-nav").scrollIntoView({ block: "nearest" });
}

/** To the question before or after; false where there is none, and the page may be turned. */
export function step(by) {
  const all = orders();
  const next = all[all.indexOf(shownOrder()) + by];
  if (!next) return false;
  go(next);
  return true;
}

/** Read the page that has just been put in place. */
export function mount(values) {
  const all = orders();
  if (!all.length) return;
  for (const players of document.querySelectorAll(".order-players")) players.hidden = false;
  open(all.find((order) => !placesIn(order, values).every(Boolean)) ?? all[0]);
}

/** Where a key puts the player in focus, "" for a key that does not. */
function placeFor(event, places, slot) {
  const at = places.indexOf(slot);
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (by && event.shiftKey) return at < 0 ? "" : Math.min(Math.max(at + by, 0), places.length - 1);
  if (event.key === "Home") return 0;
  if (event.key === "End") return places.length - 1;
  if (!/^[0-9]$/.test(event.key)) return "";
  const place = Number(event.key) || 10;
  return place <= places.length ? place - 1 : "";
}

/** A key on a player; true where it meant something. */
export function pressed(event, values, say) {
  const player = event.target.closest?.(".player");
  const order = player?.closest("fieldset.order");
  if (!order) return false;
  const places = placesIn(order, values);
  const all = playersOf(order);
  const at = placeFor(event, places, player.dataset.slot);
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (at === "" && (!by || event.shiftKey)) return /^[0-9]$/.test(event.key);
  event.preventDefault();
  if (event.repeat) return true;
  if (at === "") {
    all[all.indexOf(player) + by]?.focus();
    return true;
  }
  const after = put(places, player.dataset.slot, at);
  say(order.dataset.dimension, valuesOf(order, after));
  if (/^[0-9]$/.test(event.key)) nextOf(all, player, after)?.focus();
  return true;
}

/** Who is to be placed next after somebody was: the next without a place. */
function nextOf(all, player, places) {
  const from = all.indexOf(player) + 1;
  const rest = [...all.slice(from), ...all.slice(0, from)];
  return rest.find((one) => !places.includes(one.dataset.slot));
}

function chosen(list, values, say) {
  const order = list.closest("fieldset.order");
  const places = placesIn(order, values);
  const after = exchange(places, list.value, listsOf(order).indexOf(list));
  say(order.dataset.dimension, valuesOf(order, after));
}

function toggled(player, values, say) {
  const order = player.closest("fieldset.order");
  const { slot } = player.dataset;
  const places = placesIn(order, values);
  const free = places.indexOf("");
  const after = places.includes(slot) ? without(places, slot) : put(places, slot, free);
  say(order.dataset.dimension, valuesOf(order, after));
}

/** `values()`: what stands; `say(dimension, values)`: a ranking has changed. */
export function start(values, say) {
  document.addEventListener("change", (event) => {
    if (event.target.closest?.(".place-row")) chosen(event.target, values(), say);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".order-link");
    if (link) {
      event.preventDefault();
      go(document.getElementById(`order-${link.dataset.order}`));
    }
    const player = event.target.closest?.(".player");
    if (player) toggled(player, values(), say);
  });
  startDragging(values, say);
}

function startDragging(values, say) {
  let drag = null; // { order, slot, handle, id, x, y, ghost, row }
  let dragged = false; // the click that comes after it is none

  const end = () => {
    drag?.ghost?.remove();
    drag?.row?.classList.remove("is-over");
    drag = null;
  };
  document.addEventListener("pointerdown", (event) => {
    dragged = false;
    const handle = event.target.closest?.(".player, .place-grip");
    const order = handle?.closest("fieldset.order");
    if (!order || event.button !== 0) return;
    const slot = handle.dataset.slot ?? handle.parentElement.querySelector("select").value;
    if (slot) drag = { order, slot, handle, id: event.pointerId, x: event.clientX, y: event.clientY };
  });
  document.addEventListener("pointermove", (event) => {
    if (event.pointerId !== drag?.id) return;
    const { clientX: x, clientY: y } = event;
    if (!drag.ghost) {
      if (Math.hypot(x - drag.x, y - drag.y) < FAR) return;
      drag.handle.setPointerCapture(drag.id);
      drag.ghost = document.body.appendChild(ghostOf(drag));
    }
    drag.ghost.style.translate = `${x}px ${y}px`;
    const row = document.elementFromPoint(x, y)?.closest(".place-row");
    drag.row?.classList.remove("is-over");
    drag.row = row && drag.order.contains(row) ? row : null;
    drag.row?.classList.add("is-over");
  });
  document.addEventListener("pointerup", (event) => {
    if (event.pointerId !== drag?.id) return;
    const { order, slot, row, ghost } = drag;
    dragged = Boolean(ghost);
    end();
    if (!row) return;
    const at = [...order.querySelectorAll(".place-row")].indexOf(row);
    say(order.dataset.dimension, valuesOf(order, put(placesIn(order, values()), slot, at)));
  });
  document.addEventListener("pointercancel", end);
  document.addEventListener("keydown", (event) => event.key === "Escape" && end());
  const swallow = (event) => {
    if (!dragged) return;
    dragged = false;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("click", swallow, { capture: true });
}

function ghostOf({ order, slot }) {
  const ghost = document.createElement("div");
  ghost.className = "drag-ghost";
  const player = playersOf(order).find((one) => one.dataset.slot === slot);
  ghost.textContent = player.querySelector(".player-name").textContent;
  return ghost;
}
