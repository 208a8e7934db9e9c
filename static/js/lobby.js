// A table that gathers: who comes is pushed, and the invitation's address where it is another now;
// when the game begins the page goes there.

import * as acts from "./acts.js";
import * as aloud from "./aloud.js";
import * as answer from "./answer.js";
import * as chat from "./chat.js";
import * as copy from "./copy.js";
import * as frames from "./frames.js";
import * as live from "./live.js";
import * as opened from "./opened.js";

function look() {
  const { full, go, invitation } = document.getElementById("lobby").dataset;
  if (go) location.replace(go);
  const card = document.getElementById("invite-card");
  if (card) card.hidden = full !== undefined; // nobody else can sit down
  const field = document.getElementById("invitation");
  if (field && invitation) field.value = new URL(invitation, location.origin).href;
}

for (const part of [acts, aloud, answer, chat, copy, opened, frames, live]) part.start();
frames.onFrame(look);
