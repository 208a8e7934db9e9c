// The page of a visitor's games: its one script copies the private link.

import { start } from "./copy.js";

start();
