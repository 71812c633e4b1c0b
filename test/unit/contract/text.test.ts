import { describe, expect, test } from "bun:test";
import { decodeText, placeAt } from "../../../src/contract/text.ts";

const utf8 = (text: string) => decodeText(Buffer.from(text));

describe("the characters of a contract", () => {
  // c-printable of YAML 1.2.2, 5.1, without the byte order mark.
  const printable: readonly (readonly [number, number])[] = [
    [0x09, 0x0a],
    [0x0d, 0x0d],
    [0x20, 0x7e],
    [0x85, 0x85],
    [0xa0, 0xd7ff],
    [0xe000, 0xfefe],
    [0xff00, 0xfffd],
    [0x10000, 0x10ffff],
  ];

  test("are those that YAML can print", () => {
    const wrong: string[] = [];
    const points = [...Array(0x10000).keys(), 0x10000, 0x1fffe, 0x10fffe, 0x10ffff];
    for (const point of points) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const isPrintable = printable.some(([first, last]) => first <= point && point <= last);
      const text = `a: b${String.fromCodePoint(point)}c\n`;
      if (utf8(text).ok !== isPrintable) wrong.push(point.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test("any other is told by its number and its place", () => {
    expect(utf8("a: b\nc: 😀\u009f")).toMatchObject({
      ok: false,
      message: "the character U+009F is not allowed at line 2, column 5",
      line: 2,
    });
  });
});

describe("the byte order mark", () => {
  test.each([
    ["of UTF-8", "efbbbf61", "a"],
    ["of UTF-16 with the low byte first", "fffe6100", "a"],
    ["of UTF-16 with the high byte first", "feff0061", "a"],
    ["alone", "efbbbf", ""],
  ])("%s is no part of the text", (_, bytes, value) => {
    expect(decodeText(Buffer.from(bytes, "hex"))).toEqual({ ok: true, value });
  });

  test.each([
    ["twice", "efbbbfefbbbf61", "the character U+FEFF is not allowed at line 1, column 1"],
    ["half of one, high", "fe61", "not UTF-8 text"],
    ["half of one, low", "ff61", "not UTF-8 text"],
    ["before half a unit", "fffe61", "not UTF-16LE text"],
    ["before half a unit, high byte first", "feff00", "not UTF-16BE text"],
  ])("%s is refused", (_, bytes, message) => {
    expect(decodeText(Buffer.from(bytes, "hex"))).toMatchObject({ ok: false, message });
  });
});

test.each([
  ["a\r\nb", "a\r\nb"],
  ["a\rb", "a\nb"],
  ["a\r\r\nb\r", "a\n\r\nb\n"],
])("of %j each line break that is not CRLF is a line feed", (text, value) => {
  expect(utf8(text)).toEqual({ ok: true, value });
});

test.each([
  ["", 0, { line: 1, column: 1 }],
  ["ab\ncd", 2, { line: 1, column: 3 }],
  ["ab\ncd", 3, { line: 2, column: 1 }],
  ["a😀é\u0301b", 5, { line: 1, column: 5 }],
])("in %j, %i is at %j", (text, at, place) => {
  expect(placeAt(text, at)).toEqual(place);
});
