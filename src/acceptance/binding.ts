/** Binds a task's contract to the bytes that were committed, never to the files that are checked out. */
import { checkExpected, type Expected, explainProblem } from "../expected/shape.ts";
import { sha256 } from "../files/digest.ts";
import { type Result, refusal, success } from "../outcome.ts";
import type { Problem } from "../problems.ts";
import type { GitContext } from "../repository/git.ts";
import { readObjects } from "./objects.ts";
import { placeIn } from "./places.ts";
import { readJsonBytes } from "./records.ts";
import type { Packet } from "./schema.ts";

/**
 * What is expected, from the committed bytes whose digests the packet gives. `UNBOUND` if one of the three
 * files is another than the packet says, or `expected` is malformed.
 */
export async function bindContract(
  git: GitContext,
  worktree: string,
  packet: Packet,
): Promise<Result<Expected, "UNBOUND" | "GIT_FAILED">> {
  const files = [packet.contract, packet.expected, packet.meta];
  const places = files.map(({ path }) => placeIn(worktree, path));
  const objects = await readObjects(
    git,
    places.map((place) => ({ name: `${packet.inputs_sha}:${place ?? ""}`, asking: "contents" })),
  );
  if (!objects.ok) return objects;
  for (const [index, file] of files.entries()) {
    const object = places[index] === undefined ? undefined : objects.value[index];
    if (object?.type === "blob" && sha256(object.content) === file.sha256) continue;
    return refusal("UNBOUND", `${file.path} at the inputs commit differs from the task packet`);
  }
  return readExpected(objects.value[1]?.content ?? Buffer.alloc(0), packet.expected.path);
}

function readExpected(bytes: Uint8Array, path: string): Result<Expected, "UNBOUND"> {
  const json = readJsonBytes(bytes);
  if (!json.ok) return refusal("UNBOUND", `${path} ${json.message}`);
  const problems: Problem[] = [];
  if (checkExpected(json.value, problems)) return success(json.value);
  return refusal("UNBOUND", `${path}: ${problems.map(explainProblem).join("; ")}`);
}
