// Frames without a socket: while there is none, the page fetches every few seconds what it has not
// shown yet. Some networks let no socket through at all.

import { apply } from "./frames.js";

const EVERY = 4_000; // ms
const LONGEST = 8_000; // ms for one answer

let told = null; // whom to tell: { works, fails, gone }
let timer = 0;
let tag = ""; // of the frame that came last
let failed = false;

const table = document.getElementById("table");

function address() {
  const asked = new URLSearchParams({ cursor: document.getElementById("cursor").value });
  if ("lobby" in table.dataset) asked.set("lobby", "1");
  return `${table.dataset.news}?${asked}`;
}

async function look() {
  clearTimeout(timer);
  const mine = told;
  try {
    const headers = { "HX-Request": "true", ...(tag && { "If-None-Match": tag }) };
    const reply = await fetch(address(), { headers, signal: AbortSignal.timeout(LONGEST) });
    const html = await reply.text();
    if (told !== mine) return;
    if (reply.status === 403 || reply.status === 404) {
      told.gone();
      return;
    }
    if (!reply.ok && reply.status !== 304) throw new Error(reply.status);
    if (reply.ok) {
      tag = reply.headers.get("ETag") ?? "";
      apply(html);
    }
    told.works(failed);
    failed = false;
  } catch {
    if (told !== mine) return;
    failed = true;
    told.fails();
  }
  if (told === mine) timer = setTimeout(look, EVERY);
}

/** Fetches from now on; `listener` hears what comes of it. */
export function start(listener) {
  if (told) return;
  told = listener;
  tag = "";
  failed = false;
  look();
}

export function stop() {
  clearTimeout(timer);
  told = null;
}

/** Fetches at once, where it is fetched at all. */
export function now() {
  if (told) look();
}
