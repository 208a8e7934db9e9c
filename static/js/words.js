// How long a text is: the twin of count_words in game/engine/text_checks.py. The server decides, so the
// two must agree on every text; change one, change the other.
//
// A word is what stands between white space; in scripts written without spaces two characters
// count as one word.

const WHITE = "\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
// Thai, Lao, Myanmar, Khmer, kana and Han.
const SPACELESS =
  "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3041-\\u30ff\\u3400-\\u4dbf" +
  "\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
const TOKEN = new RegExp(`[^${WHITE}]+`, "gu");
const SPACELESS_ONE = new RegExp(`[${SPACELESS}]`, "gu");
const OTHER_WORD = new RegExp(`(?:(?![${SPACELESS}])[\\p{L}\\p{N}])+`, "gu");

const found = (text, pattern) => (text.match(pattern) ?? []).length;

export const CHARACTERS_PER_WORD = 20; // the most characters a text may hold, per permitted word

export function countWords(text) {
  let words = 0;
  let spaceless = 0;
  for (const token of text.match(TOKEN) ?? []) {
    const inside = found(token, SPACELESS_ONE);
    spaceless += inside;
    words += inside ? found(token, OTHER_WORD) : 1;
  }
  return words + Math.ceil(spaceless / 2);
}

const WHITE_SPACE = new RegExp(`[${WHITE}]+`, "gu");

const characters = (text) => [...text.replace(WHITE_SPACE, "")].length;

/** How many characters stand before the first `@Name`, and how many behind it, and whose name it is
 *  ("" for none): the twin of find_mention and count_characters. White space and the mention are
 *  free. */
export function countCharacters(text, names) {
  const mentions = names
    .map((name) => ({ start: text.indexOf(`@${name}`), name }))
    .filter((mention) => mention.start >= 0)
    .sort((a, b) => a.start - b.start || b.name.length - a.name.length);
  if (!mentions.length) return { before: characters(text), behind: 0, name: "" };
  const { start, name } = mentions[0];
  const behind = characters(text.slice(start + name.length + 1));
  return { before: characters(text.slice(0, start)), behind, name };
}
