/** The types of what the engine uses of the package `yaml`, as narrow as its use (written by hand; a test compares). */

export class Parser {
  parse(source: string): Iterable<Token>;
}

/** One with a message is an error. */
export type Token =
  | { readonly offset: number; readonly source: string; readonly message: string }
  | { readonly offset: number; readonly message?: undefined };

export class Composer {
  constructor(options: {
    readonly schema: "core";
    readonly resolveKnownTags: false;
    readonly uniqueKeys: false;
  });
  next(token: Token): Iterable<Document>;
  end(forceDocument: true, endOffset: number): Iterable<Document>;
}

export interface Document {
  readonly contents: Node | null;
  readonly directives: { readonly yaml: { readonly version: string } };
  readonly errors: readonly Fault[];
  readonly warnings: readonly Fault[];
}

export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

export type Node = Alias | Scalar | YAMLMap | YAMLSeq;

interface Placed {
  /** Where it begins, where its value ends, and where all of it ends. */
  readonly range: readonly [number, number, number];
}

export interface Alias extends Placed {
  /** The anchor's name. */
  readonly source: string;
  readonly anchor?: undefined;
}

export interface Scalar extends Placed {
  readonly anchor?: string;
  readonly value: unknown;
  /** As it was written, without its quotes. */
  readonly source: string;
}

export interface YAMLMap extends Placed {
  readonly anchor?: string;
  readonly items: readonly { readonly key: Node; readonly value: Node | null }[];
}

export interface YAMLSeq extends Placed {
  readonly anchor?: string;
  readonly items: readonly (Node | null)[];
}

export function isAlias(node: Node | null | undefined): node is Alias;
export function isMap(node: Node | null | undefined): node is YAMLMap;
export function isScalar(node: Node | null | undefined): node is Scalar;
export function isSeq(node: Node | null | undefined): node is YAMLSeq;
