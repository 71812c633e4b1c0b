import { carriageReturn, lineFeed } from "./search.ts";

export interface LineEndings {
  /** Lines that end in CRLF, and in LF alone. A CR anywhere else ends no line. */
  readonly crlf: number;
  readonly lf: number;
}

/** Counts the line endings of `text`. */
export function lineEndings(text: Uint8Array): LineEndings {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) {
    if (text[at - 1] === carriageReturn) crlf++;
    else lf++;
  }
  return { crlf, lf };
}

/** Whether `text` has line endings and all of them are CRLF. */
export function endsLinesInCrlf(text: Uint8Array): boolean {
  let at = text.indexOf(lineFeed);
  if (at < 0) return false;
  while (at >= 0) {
    if (text[at - 1] !== carriageReturn) return false;
    at = text.indexOf(lineFeed, at + 1);
  }
  return true;
}

/** `text` with every bare LF made CRLF. */
export function toCrlf(text: string): string {
  return text.replace(/(?<!\r)\n/g, "\r\n");
}
