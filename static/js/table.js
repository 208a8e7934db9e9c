// Everything a table's page does, started in order. Loaded once, by templates/play/table.html;
// the others are only ever imported, so none of them runs twice under two file names.

import * as answer from "./answer.js";
import * as choice from "./choice.js";
import * as composer from "./composer.js";
import * as countdown from "./countdown.js";
import * as ending from "./ending.js";
import * as frames from "./frames.js";
import * as light from "./light.js";
import * as live from "./live.js";
import * as notes from "./notes.js";
import * as sheets from "./sheets.js";
import * as title from "./title.js";
import * as transcript from "./transcript.js";

const parts = [light, sheets, transcript, answer, choice, composer, notes, countdown, title];
for (const part of [...parts, ending, frames, live]) part.start();
