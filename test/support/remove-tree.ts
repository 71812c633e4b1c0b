/** Removes the folder named by the first argument and prints how that went. A process of its own, so that it can be another user's. */
import { writeSync } from "node:fs";
import { folderIdentity } from "../../src/files/identity.ts";
import { removeTree } from "../../src/files/remove.ts";

const path = process.argv[2] ?? "";
const identity = folderIdentity(path);
writeSync(1, JSON.stringify(identity === null ? null : removeTree(path, identity)));
