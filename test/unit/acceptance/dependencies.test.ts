import { expect, test } from "bun:test";
import { dependencyNames } from "../../../src/acceptance/dependencies.ts";

test.each<[string, string[] | string]>([
  ["{}", []],
  ['{"dependencies":{"a":"1"},"devDependencies":{"b":"1","a":"2"},"peerDependencies":{"c":"1"}}', ["a", "b"]],
  ['\ufeff{"dependencies":{"a":"1"}}', ["a"]],
  ['{"dependencies":{"a":"1"},"dependencies":{"b":"1"}}', ["b"]],
  ['{"dependencies":null,"devDependencies":null}', []],
  ['{"dependencies":{"__proto__":"1","constructor":"1"}}', ["__proto__", "constructor"]],
  ['{"dependencies":{"a":NaN}}', "it is not JSON"],
  ['{"dependencies":{"a":Infinity}}', "it is not JSON"],
  ["", "it is not JSON"],
  ["[]", "it is not an object"],
  ["null", "it is not an object"],
  ['"a"', "it is not an object"],
  ['{"dependencies":["a"]}', "its dependencies are not an object"],
  ['{"devDependencies":"a"}', "its devDependencies are not an object"],
])("%s", (text, answer) => {
  const names = dependencyNames(Buffer.from(text));
  expect(names.ok ? [...names.value].sort() : names.message).toEqual(answer);
});
