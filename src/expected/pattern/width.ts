/** How many characters a part of a pattern can match: what a lookbehind needs to know. */
import type { Node } from "./syntax.ts";

export type Width = readonly [least: number, most: number];

/** The width of `node`, with the widths of the groups it may refer to. */
export function widthOf(node: Node, groups: readonly (Width | undefined)[]): Width {
  switch (node.kind) {
    case "set":
      return [1, 1];
    case "place":
    case "look":
      return [0, 0];
    case "sequence":
      return node.items.map((item) => widthOf(item, groups)).reduce(sum, [0, 0]);
    case "branch":
      return node.alternatives.map((alternative) => widthOf(alternative, groups)).reduce(either);
    case "repeat": {
      const [least, most] = widthOf(node.body, groups);
      return [least * node.min, most === 0 ? 0 : most * node.max];
    }
    case "group":
    case "atomic":
      return widthOf(node.body, groups);
    case "reference":
      return groups[node.group] ?? [0, 0];
    case "condition":
      return either(widthOf(node.yes, groups), widthOf(node.no, groups));
  }
}

function sum(left: Width, right: Width): Width {
  return [left[0] + right[0], left[1] + right[1]];
}

function either(left: Width, right: Width): Width {
  return [Math.min(left[0], right[0]), Math.max(left[1], right[1])];
}
