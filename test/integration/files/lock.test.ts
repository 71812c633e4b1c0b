import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "../../../src/files/lock.ts";
import { temporaryFolder } from "../../support/repository.ts";

test("a lock is held by one descriptor until it is closed", () => {
  const folder = temporaryFolder();
  try {
    const path = join(folder.path, "lock");
    const [first, second] = [openSync(path, "w"), openSync(path, "w")];
    expect(tryLock(first)).toBe("locked");
    expect(tryLock(second)).toBe("busy");
    closeSync(first);
    expect(tryLock(second)).toBe("locked");
    closeSync(second);
  } finally {
    folder.dispose();
  }
});

test("a lock ends with the process that held it, also by SIGKILL", async () => {
  const folder = temporaryFolder();
  try {
    const path = join(folder.path, "lock");
    const holder = Bun.spawn(["flock", "-x", path, "-c", "echo held; sleep 60"], {
      stdout: "pipe",
      detached: true,
    });
    await holder.stdout.getReader().read();
    const descriptor = openSync(path, "w");
    expect(tryLock(descriptor)).toBe("busy");
    process.kill(-holder.pid, "SIGKILL");
    await holder.exited;
    while (tryLock(descriptor) !== "locked") await Bun.sleep(5);
    closeSync(descriptor);
  } finally {
    folder.dispose();
  }
});
