// Everything a table's page does, started in order. Loaded once, by templates/play/table.html;
// the others are only ever imported, so none of them runs twice under two file names.

import * as acts from "./acts.js";
import * as aloud from "./aloud.js";
import * as answer from "./answer.js";
import * as ask from "./ask.js";
import * as cards from "./cards.js";
import * as chat from "./chat.js";
import * as choice from "./choice.js";
import * as composer from "./composer.js";
import * as copy from "./copy.js";
import * as countdown from "./countdown.js";
import * as dialogs from "./dialogs.js";
import * as dictation from "./dictation.js";
import * as ending from "./ending.js";
import * as focus from "./focus.js";
import * as frames from "./frames.js";
import * as light from "./light.js";
import * as live from "./live.js";
import * as mentions from "./mentions.js";
import * as notes from "./notes.js";
import * as opened from "./opened.js";
import * as over from "./over.js";
import * as sheets from "./sheets.js";
import * as sound from "./sound.js";
import * as tempo from "./tempo.js";
import * as title from "./title.js";
import * as transcript from "./transcript.js";
import * as voices from "./voices.js";

const papers = [aloud, ask, light, sheets, chat, opened, transcript, notes, copy, dialogs, over];
const playing = [answer, acts, cards, choice, mentions, composer, dictation, countdown, title, tempo];
const heard = [sound, voices];
for (const part of [...papers, ...playing, ...heard, focus, ending, frames, live]) part.start();
