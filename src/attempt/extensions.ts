/** The extension files of the adapter that the engine carries, and writes for the Pi of an attempt. */
import * as answers from "../pi/answers.ts" with { type: "text" };
import * as editArguments from "../pi/arguments.ts" with { type: "text" };
import * as bash from "../pi/bash.ts" with { type: "text" };
import * as child from "../pi/child.ts" with { type: "text" };
import * as context from "../pi/context.ts" with { type: "text" };
import * as diff from "../pi/diff.ts" with { type: "text" };
import * as edit from "../pi/edit.ts" with { type: "text" };
import * as engine from "../pi/engine.ts" with { type: "text" };
import * as file from "../pi/file.ts" with { type: "text" };
import * as host from "../pi/host.ts" with { type: "text" };
import * as json from "../pi/json.ts" with { type: "text" };
import * as loopBreaker from "../pi/loop-breaker.ts" with { type: "text" };
import * as once from "../pi/once.ts" with { type: "text" };
import * as protocol from "../pi/protocol.ts" with { type: "text" };
import * as text from "../pi/text.ts" with { type: "text" };
import * as transport from "../pi/transport.ts" with { type: "text" };

/** Name and source of each file; they import one another as siblings. */
export const extensionFiles: readonly (readonly [name: string, source: string])[] = [
  ["answers.ts", sourceOf(answers)],
  ["arguments.ts", sourceOf(editArguments)],
  ["bash.ts", sourceOf(bash)],
  ["child.ts", sourceOf(child)],
  ["context.ts", sourceOf(context)],
  ["diff.ts", sourceOf(diff)],
  ["edit.ts", sourceOf(edit)],
  ["engine.ts", sourceOf(engine)],
  ["file.ts", sourceOf(file)],
  ["host.ts", sourceOf(host)],
  ["json.ts", sourceOf(json)],
  ["loop-breaker.ts", sourceOf(loopBreaker)],
  ["once.ts", sourceOf(once)],
  ["protocol.ts", sourceOf(protocol)],
  ["text.ts", sourceOf(text)],
  ["transport.ts", sourceOf(transport)],
];

/** Imported as text, a module is its source; the compiler only knows it as a module. */
function sourceOf(imported: object): string {
  const source: unknown = "default" in imported ? imported.default : undefined;
  if (typeof source !== "string") throw new Error("an extension file was not bundled as text");
  return source;
}
