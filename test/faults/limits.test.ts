/** Where something is short, the engine does its work or says by name what was short, and leaves nothing. */
import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { receiptStatus } from "../../src/delivery/receipt.ts";
import { sha256Of } from "../support/bounded.ts";
import { baseFiles, type Scene, scene } from "../support/delivery.ts";
import { delivering, type Limited, noMounts, runLimited } from "../support/limits.ts";

const scenes: Scene[] = [];
function newScene(): Scene {
  const at = scene();
  scenes.push(at);
  return at;
}
afterAll(() => {
  for (const at of scenes) at.dispose();
});

if (noMounts !== undefined)
  console.log(`skipped: file systems that are small or read-only, because ${noMounts}`);

const change = "echo changed > a.txt; mkdir d; head -c 6000 /dev/urandom > d/new";

/** The caller's side is as it was, nothing is left, and the receipt says what the status says. */
function expectClean(limited: Limited): void {
  const { receipt, status, stderr, before, after, left, broken } = limited;
  if (receipt === undefined) throw new Error(`no receipt, status ${status}: ${stderr}`);
  expect([receipt.code, status]).toEqual([receipt.code, receiptStatus(receipt)]);
  if (receipt.code !== "OK") expect(stderr).toContain(`satyrn-engine: ${receipt.code}: ${receipt.message}\n`);
  expect([after, left, broken]).toEqual([before, "", ""]);
}

/**
 * Delivers once for each size. The least must be refused for want of space, the most must do. Where the command
 * writes, it may be the one that fails.
 */
function sweep(sizes: readonly number[], deliver: (size: number) => Limited): void {
  const codes = sizes.map((size) => {
    const limited = deliver(size);
    expectClean(limited);
    const { code, message } = limited.receipt ?? { code: "none", message: "" };
    if (code !== "OK" && code !== "COMMAND_FAILED") {
      expect([size, code, message]).toEqual([size, "GIT_FAILED", expect.stringMatching(noSpace)]);
    }
    return code;
  });
  expect([codes[0], codes.at(-1)]).toEqual(["GIT_FAILED", "OK"]);
}

const noSpace = /no space left|out of diskspace|No space left|unable to write file|unable to index file/i;

const noSeconds =
  noMounts ??
  (process.getuid?.() !== 0 || Bun.which("mkfs.ext4") === null ? "root and mkfs.ext4 are needed" : undefined);
if (noSeconds !== undefined)
  console.log(`skipped: a file system that keeps whole seconds, because ${noSeconds}`);

describe.skipIf(noSeconds !== undefined)("a TMPDIR that keeps whole seconds", () => {
  // Inodes of 128 bytes have no room for more.
  const place = `truncate -s 8M "$SCENE/seconds"; mkfs.ext4 -q -I 128 "$SCENE/seconds" 2> /dev/null
mount -o loop "$SCENE/seconds" "$TMPDIR" || exit 1`;
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`many/file-${n}`, `${n}\n`]));

  test.each([
    ["few", {}],
    ["many", files],
  ])("hides no edit that keeps a file's size, among %s files", (_, more) => {
    const at = scene(undefined, { ...baseFiles, ...more });
    scenes.push(at);
    for (const id of ["one", "two", "three"]) {
      const limited = runLimited(at, { place, run: delivering(at, id, "echo two > a.txt") });
      expectClean(limited);
      expect([limited.receipt?.code, limited.receipt?.changed_paths]).toEqual(["OK", ["a.txt"]]);
    }
  });
});

describe.skipIf(noMounts !== undefined)("a small TMPDIR", () => {
  const small = (options: string) => `mount -t tmpfs -o ${options} none "$TMPDIR"`;

  test("of a few pages", () => {
    const at = newScene();
    sweep([4, 8, 12, 20, 28, 36, 44, 52, 128], (pages) =>
      runLimited(at, { place: small(`size=${pages}k`), run: delivering(at, `pages-${pages}`, change) }),
    );
  });

  test("of a few names", () => {
    const at = newScene();
    sweep([3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 23, 64], (names) =>
      runLimited(at, {
        place: small(`size=4m,nr_inodes=${names}`),
        run: delivering(at, `names-${names}`, change),
      }),
    );
  });

  test("with no room at all gives way to the system's usual places", () => {
    const at = newScene();
    const place = `${small("size=4k")}; head -c 4096 /dev/zero > "$TMPDIR/full"`;
    const limited = runLimited(at, { place, run: delivering(at, "full", change) });
    expectClean(limited);
    expect(limited.receipt?.code).toBe("OK");
  });

  test("that the command fills", () => {
    const at = newScene();
    const fill = `${change}; cat /dev/zero > zeros`;
    const limited = runLimited(at, {
      place: small("size=1m"),
      run: delivering(at, "fills", `${fill} 2>/dev/null; true`),
    });
    expectClean(limited);
    expect([limited.receipt?.code, limited.receipt?.command_exit]).toEqual(["GIT_FAILED", 0]);
    expect(limited.receipt?.message).toMatch(noSpace);
    const again = runLimited(at, {
      place: small("size=1m"),
      run: delivering(at, "fills-and-frees", `${fill} 2>/dev/null; rm zeros`),
    });
    expectClean(again);
    expect(again.receipt?.code).toBe("OK");
  });
});

describe.skipIf(noMounts !== undefined)("a repository on a file system that fills up", () => {
  const moved = (options: string) =>
    `mkdir "$SCENE/small"; mount -t tmpfs -o ${options} none "$SCENE/small"; cp -a "$REPO" "$SCENE/small/"
rm -rf "$SCENE/small/repo/.git/hooks"; REPO=$SCENE/small/repo`;

  test("to a few pages", () => {
    const at = newScene();
    sweep([0, 4, 8, 12, 16, 24, 32, 36, 40, 128], (pages) => {
      const fill = `free=$(df --output=avail -k "$REPO" | tail -1)
head -c $((free - ${pages}))k /dev/zero > "$SCENE/small/zeros"`;
      return runLimited(at, {
        place: `${moved("size=2m")}\n${fill}`,
        run: delivering(at, `pages-${pages}`, change),
      });
    });
  });

  test("to a few names", () => {
    const at = newScene();
    sweep([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 40], (names) => {
      const limit = `used=$(df --output=iused "$REPO" | tail -1)
mount -o remount,nr_inodes=$((used + ${names})) "$SCENE/small"`;
      return runLimited(at, {
        place: `${moved("size=4m")}\n${limit}`,
        run: delivering(at, `names-${names}`, change),
      });
    });
  });

  test("while the command runs", () => {
    const at = newScene();
    const command = `${change}; cat /dev/zero > "$FILL/zeros" 2>/dev/null; true`;
    const place = `${moved("size=2m")}; export FILL=$SCENE/small`;
    const limited = runLimited(at, { place, run: delivering(at, "full", command) });
    expectClean(limited);
    expect([limited.receipt?.code, limited.receipt?.message]).toEqual([
      "GIT_FAILED",
      expect.stringMatching(noSpace),
    ]);
    const freed = `${command}; rm "$FILL/zeros"`;
    const again = runLimited(at, { place, run: delivering(at, "freed", freed) });
    expectClean(again);
    expect(again.receipt?.code).toBe("OK");
  });
});

describe.skipIf(noMounts !== undefined)("a repository that is read-only", () => {
  const place = 'mount --bind "$REPO" "$REPO"; mount -o remount,ro,bind "$REPO"';

  test("takes no delivery, which is said", () => {
    const at = newScene();
    const limited = runLimited(at, { place, run: delivering(at, "fix", change) });
    expectClean(limited);
    expect([limited.receipt?.code, limited.receipt?.message]).toEqual([
      "GIT_FAILED",
      expect.stringContaining("EROFS"),
    ]);
    expect(limited.stderr).toContain("satyrn-engine: warning: the receipt could not be kept: ");
  });

  test("can be checked, and looked at by a recovery", () => {
    const at = newScene();
    const check = runLimited(at, { place, run: '"$ENGINE" check --repo "$REPO" "$SCENE/contract.yaml"' });
    expect(check).toMatchObject({ status: 0, stdout: "", stderr: "", left: "" });
    const recover = runLimited(at, { place, run: '"$ENGINE" recover --repo "$REPO"' });
    expect(recover).toMatchObject({ status: 0, stderr: "", left: "" });
  });

  test("takes no replacement, which is said; without the mount it does", () => {
    const at = newScene();
    const contract = join(at.folder, "bounded.yaml");
    writeFileSync(contract, 'id: a\ntask: t\nwritable_paths: ["*"]\n');
    const request = {
      version: 1,
      operation: "replace",
      repo: at.repo,
      contract,
      path: "a.txt",
      expected_sha256: sha256Of("one\n"),
      edits: [{ old_text: "one", new_text: "two" }],
    };
    writeFileSync(join(at.folder, "request"), JSON.stringify(request));
    const run = '"$ENGINE" protocol < "$SCENE/request"';
    const refused = runLimited(at, { place, run });
    expect([refused.status, JSON.parse(refused.stdout).code]).toEqual([9, "MUTATION_FAILED"]);
    expect(JSON.parse(refused.stdout).message).toContain("EROFS");
    expect(refused.after).toBe(refused.before);
    const taken = runLimited(at, { place: "", run });
    expect([taken.status, JSON.parse(taken.stdout).code]).toEqual([0, "OK"]);
  });
});

describe.skipIf(noMounts !== undefined)("a repository whose folder for Git may not be written", () => {
  const [place, as] =
    process.getuid?.() === 0
      ? ['chown -R 65534 "$SCENE"', "setpriv --reuid=65534 --regid=65534 --clear-groups"]
      : ["", ""];
  const deliver = (at: Scene, id: string) =>
    `export HOME=$SCENE; ${delivering(at, id, change).replace("exec ", `exec ${as} `)}`;

  test("takes no delivery, which is said; once it may, it does", () => {
    const at = newScene();
    const shut = `${place}\nchmod -R a-w "$REPO/.git"; trap 'chmod -R u+w "$REPO/.git"' EXIT`;
    const refused = runLimited(at, { place: shut, run: deliver(at, "shut") });
    expect([refused.receipt?.code, refused.status]).toEqual(["GIT_FAILED", 8]);
    expect(refused.receipt?.message).toMatch(/EACCES|[Pp]ermission denied/);
    expect([refused.after, refused.left]).toEqual([refused.before, ""]);
    const taken = runLimited(at, { place, run: deliver(at, "open") });
    expect([taken.receipt?.code, taken.left]).toEqual(["OK", ""]);
  });
});

describe.skipIf(noMounts !== undefined)("few descriptors", () => {
  const acceptance = "acceptance:\n  verification_commands:\n    - cmd: test -f a.txt\n";
  const limits = [64, 40, 30, 26, 24, 22, 21, 20, 19, 18, 17, 16, 14, 12, 10, 8, 6];

  test("64 are enough for a delivery with checks; with fewer it is done, or refused by name", () => {
    const at = newScene();
    const codes = limits.map((limit) => {
      const run = `ulimit -n ${limit}; ${delivering(at, `few-${limit}`, change, acceptance)}`;
      const limited = runLimited(at, { place: "", run });
      expectClean(limited);
      const code = limited.receipt?.code ?? "none";
      // Of a check that could not be started, the record in the receipt says why.
      const said = JSON.stringify(limited.receipt ?? "");
      if (code !== "OK")
        expect([limit, said]).toEqual([limit, expect.stringMatching(/EMFILE|too many open|descriptor/i)]);
      return code;
    });
    expect([codes[0], codes.at(-1)]).toEqual(["OK", "GIT_FAILED"]);
    const least = limits[codes.lastIndexOf("OK")];
    console.log(`the fewest descriptors that a delivery with one check was done with: ${least}`);
  });
});
