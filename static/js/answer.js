// What all answers share, statement or choice: one UUID per content, and words for a failure.
//
// The server takes the same UUID twice as one answer. A retry therefore carries the UUID of the
// first try (it may have arrived, and only its reply been lost), new content a new one. That is why
// an answer that could not be sent is kept and sent again by itself; the server refuses it where
// its window has closed meanwhile. Acts and chat have no UUID: their sender is asked to try again.

import { apply, onFrame } from "./frames.js";
import { nameOf } from "./opened.js";

const AGAIN = 3_000; // ms between two attempts to send what is kept
const LONGEST = 8_000; // ms for one of them
const NOT_THERE = new Set([0, 502, 503, 504]); // nobody answered, or only a proxy did

const posts = new Map(); // form id -> { content, post }
let failed = null; // what a "send again" would send: the form's id and a selector of the button
let kept = null; // an answer that is sent again by itself: { form, path, data }
let timer = 0;

const PLACES = { say: "#composer", choose: "#choice", talk: "#chat-words" };
const refused = () => document.getElementById("refused");

function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // a page served without TLS
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function stamp(form, data) {
  const said = [...data].filter(([name]) => name !== "post" && name !== "csrfmiddlewaretoken");
  const content = JSON.stringify(said);
  let last = posts.get(form.id);
  if (last?.content !== content) posts.set(form.id, (last = { content, post: uuid() }));
  data.set("post", last.post);
  data.set("cursor", document.getElementById("cursor").value); // the reply then brings what is new
}

function clear() {
  refused().replaceChildren();
  refused().hidden = true;
}

/** Says why something was not sent: `why` is the id of a template. */
function explain(why) {
  refused().hidden = false; // first, so that what is put in is read once
  refused().replaceChildren(document.getElementById(why).content.cloneNode(true));
  document.dispatchEvent(new CustomEvent("fabula:refused"));
}

/** Puts the button of "kept" beside what the server said, unless it is there. */
function offerRetry() {
  if (refused().querySelector("[data-retry]")) return;
  const button = document.getElementById("kept").content.querySelector("[data-retry]");
  refused().append(button.cloneNode(true));
  document.dispatchEvent(new CustomEvent("fabula:refused"));
}

function forget() {
  clearTimeout(timer);
  kept = null;
}

function keep(form, { path, formData }) {
  forget();
  kept = { form: form.id, path, data: new URLSearchParams([...formData]) };
  if (refused().hidden) explain("kept");
  else offerRetry(); // the server said why: its disk is full
  timer = setTimeout(resend, AGAIN);
}

/** The status and the text of the reply to what is kept; status 0 where none came. */
async function post({ path, data }) {
  data.set("cursor", document.getElementById("cursor").value);
  try {
    const options = { method: "POST", body: data, headers: { "HX-Request": "true" } };
    const reply = await fetch(path, { ...options, signal: AbortSignal.timeout(LONGEST) });
    return [reply.status, await reply.text()];
  } catch {
    return [0, ""];
  }
}

async function resend() {
  clearTimeout(timer);
  const mine = kept;
  if (!mine || mine.busy) return;
  mine.busy = true;
  const [status, html] = await post(mine);
  mine.busy = false;
  if (kept !== mine) return;
  if (NOT_THERE.has(status)) {
    timer = setTimeout(resend, AGAIN);
    return;
  }
  forget();
  clear();
  const text = mine.data.has("manner") ? null : mine.data.get("text");
  const detail = { form: mine.form, text };
  if (status < 300) document.dispatchEvent(new CustomEvent("fabula:sent", { detail }));
  apply(html);
  if (status >= 300 && refused().hidden) explain("unsent");
}

function sendAgain() {
  if (kept) {
    resend();
    return;
  }
  const form = document.getElementById(failed?.form);
  const button = failed?.button && document.querySelector(failed.button);
  // "Send again" goes; the focus goes to what it sends.
  const place = failed?.form in PLACES ? document.querySelector(PLACES[failed.form]) : button;
  place?.focus({ preventScroll: true });
  clear();
  form?.requestSubmit(button || undefined);
}

// By what was asked, not by where the event arrived: the form may have been replaced meanwhile.
function answering(event) {
  const source = event.detail.requestConfig?.elt ?? event.detail.elt;
  return source?.closest?.("form[data-answer]");
}

function answered(event) {
  const form = answering(event);
  if (!form) return;
  delete document.getElementById("table").dataset.sending;
  const { successful, requestConfig, xhr } = event.detail;
  if (successful) return;
  const button = requestConfig?.triggeringEvent?.submitter;
  failed = { form: form.id, button: nameOf(button) };
  if (NOT_THERE.has(xhr.status) && "post" in form.elements) keep(form, requestConfig);
  else if (refused().hidden) explain("unsent");
  else document.dispatchEvent(new CustomEvent("fabula:refused")); // the server said why
}

export function start() {
  document.addEventListener("htmx:configRequest", (event) => {
    const form = answering(event);
    if (form) stamp(form, event.detail.formData);
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const form = answering(event);
    if (!form) return;
    if ("post" in form.elements) forget(); // what is said or chosen now takes its place
    clear();
    document.getElementById("table").dataset.sending = "";
  });
  document.addEventListener("htmx:afterRequest", answered);
  document.addEventListener("fabula:online", resend);
  // A refused draft sends the same message over the socket, without the button.
  onFrame(() => {
    if (kept && !refused().hidden) offerRetry();
  });
  document.addEventListener("input", (event) => {
    // What is being changed is not said as it was.
    if (kept?.form !== "say" || event.target.id !== "composer") return;
    forget();
    explain("unsent");
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-retry]")) sendAgain();
  });
}
