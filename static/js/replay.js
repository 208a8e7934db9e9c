// The replay's page, started in order. Loaded once, by templates/play/replay/page.html. Without
// scripts the same links and the slider's form lead to the same places.

import * as autoplay from "./autoplay.js";
import * as folds from "./folds.js";
import * as light from "./light.js";
import * as moments from "./moments.js";

for (const part of [light, folds, moments, autoplay]) part.start();
