// Draws portrait-01.svg … portrait-24.svg, once; the site only serves the results.
//
//   mkdir /tmp/portraits && cd /tmp/portraits
//   npm install @dicebear/core@9.4.3 @dicebear/collection@9.4.3 svgo@4.1.0
//   cp <repo>/static/portraits/build.mjs . && node build.mjs <repo>/static/portraits
//
// Every face is chosen by hand instead of by seed: a table of eight must hold eight people whom
// nobody mixes up at 40 pixels. Neighbours in the list differ in hair, outline and tone, for a
// table takes its portraits in order. To add one, add a line at the end: the others keep their
// numbers, so old games keep their faces.
import { writeFileSync } from "node:fs";
import { createAvatar } from "@dicebear/core";
import { lorelei } from "@dicebear/collection";
import { optimize } from "svgo";

const HAIR = { ink: "1f1a17", sepia: "5b4128", russet: "8a3d1d", straw: "c8923e", grey: "968d80" };
const SKIN = { milk: "fdf6e9", rose: "f5dcc3", sand: "e2bd95", clay: "b98256", umber: "8f5f3f" };

// hair, its colour, skin, eyes, brows, mouth, nose, head, then extras
const FACES = [
  [8, "ink", "milk", 10, 7, "happy04", 1, 1, {}],
  [35, "russet", "rose", 21, 2, "happy02", 4, 3, {}],
  [28, "grey", "rose", 6, 11, "sad03", 2, 1, { beard: 1 }],
  [39, "ink", "umber", 20, 9, "happy06", 5, 2, {}],
  [38, "ink", "sand", 4, 5, "happy15", 6, 4, { glasses: 1 }],
  [18, "straw", "milk", 24, 10, "happy01", 3, 3, {}],
  [24, "ink", "clay", 14, 1, "happy18", 4, 4, { earrings: 3 }],
  [25, "grey", "milk", 23, 13, "sad05", 2, 1, { glasses: 4 }],
  [23, "ink", "rose", 12, 4, "happy10", 6, 3, {}],
  [4, "russet", "milk", 9, 3, "happy09", 1, 1, { freckles: 1 }],
  [31, "sepia", "clay", 11, 6, "happy03", 4, 4, { earrings: 1 }],
  [1, "ink", "umber", 8, 8, "happy13", 5, 1, { beard: 2 }],
  [46, "grey", "sand", 19, 9, "happy14", 3, 3, {}],
  [16, "ink", "milk", 17, 12, "sad09", 6, 4, {}],
  [9, "sepia", "rose", 2, 10, "happy05", 2, 2, {}],
  [44, "ink", "clay", 10, 5, "happy04", 4, 4, { earrings: 2 }],
  [12, "straw", "rose", 14, 8, "happy11", 1, 1, {}],
  [32, "grey", "milk", 6, 2, "happy01", 6, 3, { glasses: 3 }],
  [5, "ink", "umber", 21, 7, "happy16", 5, 2, {}],
  [37, "russet", "sand", 20, 11, "happy14", 3, 3, {}],
  [27, "ink", "rose", 18, 13, "happy10", 2, 1, {}],
  [42, "sepia", "milk", 24, 6, "happy06", 4, 4, { flowers: true }],
  [2, "sepia", "clay", 5, 4, "sad05", 5, 2, { glasses: 5 }],
  [33, "straw", "milk", 23, 1, "happy02", 6, 3, {}],
];

const variant = (number) => [`variant${String(number).padStart(2, "0")}`];

function face([hair, colour, skin, eyes, brows, mouth, nose, head, extra]) {
  const part = (name) => ({
    [name]: extra[name] ? variant(extra[name]) : undefined,
    [`${name}Probability`]: extra[name] ? 100 : 0,
  });
  const options = {
    seed: "fabula",
    hair: variant(hair),
    hairColor: [HAIR[colour]],
    skinColor: [SKIN[skin]],
    eyes: variant(eyes),
    eyebrows: variant(brows),
    mouth: [mouth],
    nose: variant(nose),
    head: variant(head),
    ...part("beard"),
    ...part("glasses"),
    ...part("earrings"),
    ...part("freckles"),
    hairAccessoriesProbability: extra.flowers ? 100 : 0,
    hairAccessoriesColor: ["fdf6e9"],
  };
  for (const key of Object.keys(options)) if (options[key] === undefined) delete options[key];
  return createAvatar(lorelei, options).toString();
}

const target = process.argv[2] ?? ".";
FACES.forEach((one, index) => {
  // Closer than DiceBear frames it, and cut below the neck: the page shows it as a medallion.
  const drawn = face(one).replace('viewBox="0 0 980 980"', 'viewBox="105 70 770 770"');
  const small = optimize(drawn, { multipass: true, floatPrecision: 0 }).data;
  const name = `portrait-${String(index + 1).padStart(2, "0")}.svg`;
  writeFileSync(`${target}/${name}`, small);
});
