// What all answers share, statement or choice: one UUID per content, and words for a failure.
//
// The server takes the same UUID twice as one answer. A retry therefore carries the UUID of the
// first try (it may have arrived, and only its reply been lost), new content a new one.

import { nameOf } from "./opened.js";

const posts = new Map(); // form id -> { content, post }
let failed = null; // what a "send again" would send: the form's id and a selector of the button

const PLACES = { say: "#composer", choose: "#choice", talk: "#chat-words" };

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
  const refused = document.getElementById("refused");
  refused.replaceChildren();
  refused.hidden = true;
}

function explain(form, button) {
  const refused = document.getElementById("refused");
  if (!refused.hidden) return; // the server said why
  failed = { form: form.id, button: nameOf(button) };
  refused.hidden = false; // first, so that what is put in is read once
  refused.replaceChildren(document.getElementById("unsent").content.cloneNode(true));
}

function sendAgain() {
  const form = document.getElementById(failed.form);
  const button = failed.button && document.querySelector(failed.button);
  // "Send again" goes; the focus goes to what it sends.
  const place = failed.form in PLACES ? document.querySelector(PLACES[failed.form]) : button;
  place?.focus({ preventScroll: true });
  clear();
  form?.requestSubmit(button || undefined);
}

// By what was asked, not by where the event arrived: the form may have been replaced meanwhile.
function answering(event) {
  const source = event.detail.requestConfig?.elt ?? event.detail.elt;
  return source?.closest?.("form[data-answer]");
}

export function start() {
  document.addEventListener("htmx:configRequest", (event) => {
    const form = answering(event);
    if (form) stamp(form, event.detail.formData);
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!answering(event)) return;
    clear();
    document.getElementById("table").dataset.sending = "";
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = answering(event);
    if (!form) return;
    delete document.getElementById("table").dataset.sending;
    const { successful, requestConfig } = event.detail;
    if (!successful) explain(form, requestConfig?.triggeringEvent?.submitter);
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-retry]")) sendAgain();
  });
}
