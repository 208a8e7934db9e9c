// A participant's pages: the entrance, the stages, the exits. Each module checks
// itself whether the page has its elements. Without scripts, all pages are plain forms.

import { start as startAsking } from "./ask.js";
import { start as startCopying } from "./copy.js";
import { start as startEnd } from "./rate_end.js";
import { start as startDoor } from "./take_door.js";
import { start as startIdle } from "./take_idle.js";
import { start as startNews } from "./take_news.js";
import { start as startRoom } from "./take_room.js";
import { start as startTime } from "./take_time.js";
import { start as startTyped } from "./take_typed.js";

startAsking();
startCopying();
startDoor();
startTyped();
startTime();
startRoom();
startIdle();
startNews();
startEnd();
