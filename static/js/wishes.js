// What one has asked for in this browser, such as a chime or voices. Off until asked for.

/** Whether `wish` was asked for in this browser. */
export function isWanted(wish) {
  try {
    return localStorage.getItem(`fabula:${wish}`) === "on";
  } catch {
    return false;
  }
}

export function want(wish, value) {
  try {
    localStorage.setItem(`fabula:${wish}`, value ? "on" : "");
  } catch {
    // private windows may refuse storage; the choice then lasts as long as the page
  }
}
