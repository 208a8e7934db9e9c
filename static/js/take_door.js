// The first page: whether this browser keeps cookies and what is typed, how quick the live
// connection is, and how the chime sounds. What is found goes along with "I agree".

import { SOUND, chime } from "./chime.js";
import { want } from "./wishes.js";

const PATIENCE = 1_000; // ms for a message there and back
const COOKIE = "fabula_door=1";

function keeps() {
  try {
    localStorage.setItem("fabula:door", "1");
    localStorage.removeItem("fabula:door");
    document.cookie = `${COOKIE}; SameSite=Lax`;
    const kept = document.cookie.includes(COOKIE);
    document.cookie = `${COOKIE}; max-age=0`;
    return kept;
  } catch {
    return false;
  }
}

/** Milliseconds for a message there and back; none where it takes too long. */
function roundTrip(path) {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return new Promise((resolve) => {
    const socket = new WebSocket(`${scheme}//${location.host}${path}`);
    const end = (value) => {
      clearTimeout(timer);
      socket.close();
      resolve(value);
    };
    const timer = setTimeout(end, PATIENCE, null);
    let asked = 0;
    socket.addEventListener("open", () => {
      asked = performance.now();
      socket.send("?");
    });
    socket.addEventListener("message", () => end(Math.round(performance.now() - asked)));
    socket.addEventListener("close", () => end(null));
  });
}

async function measure(door) {
  const found = await roundTrip(door.dataset.socket);
  door.elements.socket.value = found ?? "";
  const text = found === null ? door.dataset.slow : door.dataset.live;
  document.getElementById("connection-status").textContent = text;
}

export function start() {
  const door = document.getElementById("door");
  if (!door) return;
  if (!keeps()) {
    door.action = door.dataset.unsuitable; // who is coming goes along: only they get a code
    door.submit();
    return;
  }
  door.elements.scripts.value = "1";
  if (!door.dataset.socket) return; // who only rates needs neither the connection nor the chime
  document.getElementById("door-checks").hidden = false;
  document.getElementById("door-sound").addEventListener("click", () => {
    chime();
    want(SOUND, true);
    door.elements.sound.value = "heard";
    document.getElementById("door-heard").textContent = door.dataset.heard;
  });
  measure(door);
}
