/** What the receipt says of the caller's working tree: `source_drift`. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deliverIn, scenes } from "../../support/delivery.ts";
import { wrappedGit } from "../../support/wrapped-git.ts";

const newScene = scenes();
const touchesSource = true;

test("is empty where nothing changed meanwhile, and none of the command's business is in it", async () => {
  const receipt = await deliverIn(newScene(), "echo x > a.txt; rm run.sh; echo y > new");
  expect([receipt.code, receipt.source_drift]).toEqual(["OK", []]);
});

test("names what was changed, staged, deleted and made, and HEAD first if that moved", async () => {
  const at = newScene();
  const person = "git -c user.name=x -c user.email=x";
  const meanwhile = `echo y > a.txt; git rm -q run.sh; echo z > new; ${person} commit -q -m x --allow-empty src`;
  const receipt = await deliverIn(at, `(cd '${at.repo}' && ${meanwhile}) && echo x > a.txt`, {
    touchesSource,
  });
  expect([receipt.code, receipt.source_drift]).toEqual(["OK", ["HEAD", "a.txt", "run.sh", "new"]]);
});

test("names twenty paths at most", async () => {
  const at = newScene();
  const meanwhile = `for n in $(seq 25); do : > '${at.repo}/new-'$n; done`;
  const receipt = await deliverIn(at, `${meanwhile}; echo x > a.txt`, { touchesSource });
  expect([receipt.code, receipt.source_drift?.length]).toEqual(["OK", 20]);
});

test("is also told when the engine was told to stop", async () => {
  const at = newScene();
  const receipt = await deliverIn(at, `: > '${at.repo}/new'; kill -TERM $PPID; sleep 60`, { touchesSource });
  expect([receipt.code, receipt.source_drift]).toEqual(["INTERRUPTED", ["new"]]);
});

test("is looked at before checks run, which could have Git run something there", async () => {
  const at = newScene();
  const planted = join(at.folder, "planted");
  const plant = [
    `cd '${at.repo}'`,
    "echo same-size > a.txt",
    `git config filter.x.clean "touch '${planted}'; cat"`,
    "echo 'a.txt filter=x' > .git/info/attributes",
  ].join(" && ");
  const check = JSON.stringify(`(${plant})`);
  writeFileSync(at.contract, `id: fix-1\ntask: t\nacceptance: {verification_commands: [{cmd: ${check}}]}\n`);
  const slow = 'case "$words" in *" status "*) [ -e "$ONCE" ] && sleep 1; : > "$ONCE";; esac';
  const env = { ...wrappedGit(at, slow), ONCE: join(at.folder, "once") };
  const receipt = await deliverIn(at, "echo x > a.txt", { env, touchesSource });
  expect([receipt.code, receipt.source_drift]).toEqual(["COMMAND_CHANGED_GIT_STATE", []]);
  expect(existsSync(planted)).toBe(false);
});
