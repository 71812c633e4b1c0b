/** A delivery killed at every Git process, and at many moments while its command runs. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { baseFiles, type Scene, scene } from "../support/delivery.ts";
import {
  change,
  expectRecoverable,
  lookBefore,
  pathsOf,
  recoverIn,
  startDelivery,
  steppingGit,
  until,
} from "../support/killed.ts";
import { git } from "../support/repository.ts";

const scenes: Scene[] = [];
const table: [boundary: string, fault: string, found: string][] = [];

function newScene(files: Readonly<Record<string, string>> = baseFiles): Scene {
  const at = scene(undefined, files);
  scenes.push(at);
  return at;
}

afterAll(() => {
  for (const at of scenes) at.dispose();
  for (const row of table)
    console.log(row.map((cell, column) => cell.padEnd(column === 2 ? 0 : 28)).join(" | "));
});

for (const when of ["before", "after"] as const) {
  test(`killed ${when} the work of each Git process, beside a delivery that lives`, async () => {
    const at = newScene();
    const go = join(at.folder, "go");
    const living = startDelivery(at, "living", `while [ ! -e '${go}' ]; do sleep 0.05; done; ${change}`);
    await until(
      () =>
        readdirSync(at.temporary).length === 1 &&
        existsSync(join(at.temporary, readdirSync(at.temporary)[0] ?? "", "command.json")),
    );
    const [folder] = readdirSync(at.temporary);
    let step = 1;
    for (; ; step++) {
      const before = lookBefore(at);
      const stepping = steppingGit(at.folder, step, when);
      const delivery = startDelivery(at, `${when}-${step}`, change, stepping.env);
      await delivery.child.exited;
      const found = await expectRecoverable(at, delivery, before);
      if (delivery.child.signalCode === null) break;
      expect(delivery.child.signalCode).toBe("SIGKILL");
      table.push([`git ${stepping.asked()} (${step})`, `SIGKILL ${when} its work`, found]);
      expect(pathsOf(await recoverIn(at), "in_use")).toEqual([join(at.temporary, folder ?? "")]);
    }
    expect(step).toBeGreaterThan(9);
    writeFileSync(go, "");
    expect(JSON.parse(await living.child.stdout.text())).toMatchObject({ code: "OK" });
    expect(readdirSync(at.temporary)).toEqual([]);
    expect(git(at.repo, "worktree", "list").split("\n")).toHaveLength(1);
  });
}

const sizes: readonly [files: number, moments: number][] = [
  [3, 40],
  [1500, 24],
];
for (const [files, moments] of sizes) {
  test(`killed at ${moments} moments of a delivery of ${files} files`, async () => {
    const names = Array.from({ length: files - 3 }, (_, at) => [`many/${at % 50}/${at}`, `${at}\n`]);
    const at = newScene({ ...baseFiles, ...Object.fromEntries(names) });
    const started = performance.now();
    await startDelivery(at, "whole", change).child.exited;
    const whole = performance.now() - started;
    for (let moment = 1; moment <= moments; moment++) {
      const before = lookBefore(at);
      const delivery = startDelivery(at, `moment-${moment}`, change);
      const milliseconds = Math.round((whole * moment) / moments);
      await Bun.sleep(milliseconds);
      delivery.child.kill("SIGKILL");
      const found = await expectRecoverable(at, delivery, before);
      table.push([`${files} files, ${milliseconds} ms of ${Math.round(whole)}`, "SIGKILL", found]);
    }
  });
}

const commands: readonly [name: string, script: string][] = [
  ["a command that sleeps", "sleep 300"],
  ["a command with children", "sleep 300 & sleep 300 & wait"],
  ["a child in a session of its own", "setsid sleep 300 & sleep 300"],
  [
    "a daemon, of a command that kills the engine itself",
    "(setsid sh -c 'sleep 300' &) ; kill -9 $PPID; exit 0",
  ],
  ["a command that takes no SIGTERM", "trap '' TERM; while :; do sleep 1; done"],
];
for (const [name, script] of commands) {
  test(`killed while the command runs: ${name}`, async () => {
    const at = newScene();
    const before = lookBefore(at);
    const ready = join(at.folder, "ready");
    const delivery = startDelivery(at, "fix-1", `touch '${ready}'; ${script}`);
    await until(() => existsSync(ready));
    await Bun.sleep(100);
    delivery.child.kill("SIGKILL");
    const found = await expectRecoverable(at, delivery, before);
    table.push([name, "SIGKILL", found]);
    expect(found).toBe("no candidate; recovered folder worktree processes");
  });
}
