/** The parts a pattern is made of, with its flags already resolved into them. */

/** How letters compare: exactly, by ASCII case, or by Python's Unicode case rules. */
export type Fold = "exact" | "ascii" | "unicode";

/** `\d`, `\s`, `\w` and their opposites. */
export interface Category {
  readonly name: "digit" | "space" | "word";
  readonly negated: boolean;
}

/** A choice of one character: inclusive code point ranges and categories, or everything else. */
export interface CharacterSet {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [low: number, high: number])[];
  readonly categories: readonly Category[];
  readonly fold: Fold;
  /** Categories know ASCII only (the `a` flag). */
  readonly ascii: boolean;
}

export type Place = "start" | "line start" | "end" | "line end" | "very end" | "boundary" | "no boundary";

export type Greed = "greedy" | "lazy" | "possessive";

export type Node =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "place"; readonly place: Place; readonly ascii: boolean }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "branch"; readonly alternatives: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly min: number;
      readonly max: number;
      readonly greed: Greed;
      readonly body: Node;
    }
  | { readonly kind: "group"; readonly index: number; readonly body: Node }
  | { readonly kind: "atomic"; readonly body: Node }
  | {
      readonly kind: "look";
      readonly behind: number | undefined;
      readonly negated: boolean;
      readonly body: Node;
    }
  | { readonly kind: "reference"; readonly group: number; readonly fold: Fold }
  | { readonly kind: "condition"; readonly group: number; readonly yes: Node; readonly no: Node };

export interface Pattern {
  readonly root: Node;
  /** Capturing groups, the whole match (group 0) not counted. */
  readonly groups: number;
}

/** The one code point a node matches and nothing else, if it is such a node. */
export function literalOf(node: Node): number | undefined {
  if (node.kind !== "set" || node.set.fold !== "exact" || node.set.negated) return undefined;
  const [range] = node.set.ranges;
  const single = node.set.ranges.length === 1 && node.set.categories.length === 0;
  return single && range !== undefined && range[0] === range[1] ? range[0] : undefined;
}
