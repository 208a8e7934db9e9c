// The replay's page, started in order. Loaded once, by templates/play/replay/page.html. Without
// scripts the same links and the slider's form lead to the same places.

import * as autoplay from "./autoplay.js";
import * as folds from "./folds.js";
import { onFrame } from "./frames.js";
import { turn } from "./light.js";
import * as moments from "./moments.js";

// At once, unlike at the table: nothing can be clicked while a cross-fade lasts.
onFrame(() => turn(document.getElementById("phase").dataset.light));
for (const part of [folds, moments, autoplay]) part.start();
