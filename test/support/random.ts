/** Gives numbers of chance, from 0 up to, and without, 1, that come again with their seed. */
export type Random = () => number;

/** The generator mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An integer from 0 up to, and without, `end`. */
export function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}

/** One of `items`, of which there is at least one. */
export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  return items[below(random, items.length)] as Item;
}
