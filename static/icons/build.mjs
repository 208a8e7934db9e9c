// Gathers the Lucide icons the templates use into sprite.svg.
//
//   mkdir /tmp/icons && cd /tmp/icons && npm install lucide-static@1.62.0
//   cp <repo>/static/icons/build.mjs . && node build.mjs <repo>/static/icons
//
// To add an icon: a line here (our name for its meaning: Lucide's name for its drawing), run it,
// then {% include "icon.html" with name="..." %}. Roles are called role-<role key>.
import { readFileSync, writeFileSync } from "node:fs";

const ICONS = {
  night: "moon-star",
  day: "sun",
  vote: "vote",
  over: "feather",
  private: "eye",
  check: "check",
  send: "send-horizontal",
  down: "arrow-down",
  fold: "chevron-up",
  clock: "hourglass",
  notes: "notebook-pen",
  person: "user",
  computer: "cpu",
  download: "download",
  play: "flame",
  again: "rotate-ccw",
  watch: "eye",
  rules: "book-open",
  away: "wifi-off",
  setup: "sliders-horizontal",
  "face-1": "angry",
  "face-2": "frown",
  "face-3": "meh",
  "face-4": "smile",
  "face-5": "laugh",
  alert: "triangle-alert",
  go: "arrow-right",
  copy: "copy",
  share: "share-2",
  link: "link",
  pause: "pause",
  resume: "play",
  more: "timer",
  host: "lamp",
  seat: "armchair",
  leave: "door-open",
  sound: "bell",
  mute: "bell-off",
  voices: "volume-2",
  silent: "volume-x",
  speak: "mic",
  report: "flag",
  stand_in: "bot",
  invite: "user-plus",
  remove: "user-minus",
  off: "x",
  blind: "eye-off",
  open: "circle-dashed",
  people: "users",
  edit: "pencil",
  first: "chevron-first",
  previous: "chevron-left",
  next: "chevron-right",
  last: "chevron-last",
  replay: "history",
  mind: "brain",
  copy: "copy",
  pause: "pause",
  host: "key-round",
  leave: "log-out",
  sound: "bell",
  mute: "bell-off",
  report: "flag",
  seat: "armchair",
  invite: "user-plus",
  role: "drama",
  "role-werewolf": "paw-print",
  "role-minion": "venetian-mask",
  "role-seer": "sparkles",
  "role-mason": "handshake",
  "role-villager": "house",
  "role-tanner": "scissors",
  "role-guard": "shield",
  "role-bodyguard": "shield",
  "role-medium": "ghost",
  "role-possessed": "venetian-mask",
  "role-sheriff": "star",
};

const symbols = Object.entries(ICONS).map(([name, drawing]) => {
  const svg = readFileSync(`node_modules/lucide-static/icons/${drawing}.svg`, "utf8");
  const shapes = svg.match(/<svg[^>]*>([\s\S]*)<\/svg>/)[1].replace(/\s*\n\s*/g, "");
  return `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round">${shapes}</symbol>`;
});
const licence = "Lucide icons, ISC licence: ../vendor/lucide/LICENSE";
writeFileSync(
  `${process.argv[2] ?? "."}/sprite.svg`,
  `<svg xmlns="http://www.w3.org/2000/svg"><!-- ${licence} -->\n${symbols.join("\n")}\n</svg>\n`,
);
