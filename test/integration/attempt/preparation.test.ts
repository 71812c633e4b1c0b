import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { engine } from "../../support/engine.ts";
import { git } from "../../support/repository.ts";
import { contractText, type World, world } from "./world.ts";

let at: World;
const ran = () => join(at.folder, "ran");
beforeEach(() => {
  at = world();
  at.pi(`echo yes >"${ran()}"; printf "%s\\n" "$OUT"`);
});
afterEach(() => {
  const left = at.left();
  at.dispose();
  expect(left).toEqual([]);
});

/** The attempt is refused with `status` and a message that matches, Pi never ran, nothing is left. */
async function refused(
  status: number,
  message: string | RegExp,
  env: Readonly<Record<string, string | undefined>> = {},
) {
  const evidence = readdirSync(join(at.folder, "evidence"));
  const run = await at.attempt([], env);
  expect(run.stdout).toBe("");
  if (typeof message === "string") expect(run.stderr).toBe(`satyrn-engine: ${message}\n`);
  else expect(run.stderr).toMatch(message);
  expect(run.stderr.split("\n").length).toBe(2);
  expect(run.status).toBe(status);
  expect(at.written(ran())).toBeNull();
  expect(readdirSync(join(at.folder, "evidence"))).toEqual(evidence);
}

describe("check's refusals keep their codes", () => {
  test("CONTRACT_UNREADABLE", async () => {
    unlinkSync(at.contract);
    await refused(3, /^satyrn-engine: CONTRACT_UNREADABLE: /);
  });
  test("CONTRACT_INVALID_YAML", async () => {
    writeFileSync(at.contract, "id: [");
    await refused(4, /^satyrn-engine: CONTRACT_INVALID_YAML: /);
  });
  test("CONTRACT_MISSING_FIELD", async () => {
    writeFileSync(at.contract, "id: fix-1\n");
    await refused(5, /^satyrn-engine: CONTRACT_MISSING_FIELD: /);
  });
});

describe("the worktree", () => {
  test("must not have changes", async () => {
    writeFileSync(join(at.worktree, "src/app.py"), "changed\n");
    await refused(10, /ATTEMPT_FAILED: .*not clean.*src\/app\.py/);
  });
  test("must not have untracked files", async () => {
    writeFileSync(join(at.worktree, "new"), "");
    await refused(10, /ATTEMPT_FAILED: .*not clean.*new/);
  });
  test("must be the root", async () => {
    const run = await engine(["attempt", "--model", "m", at.contract], {
      cwd: join(at.worktree, "src"),
      env: at.env,
    });
    expect(run.stderr).toMatch(/ATTEMPT_FAILED: .*root/);
    expect(run.status).toBe(10);
  });
  test("must be one at all", async () => {
    const run = await engine(["attempt", "--model", "m", at.contract], { cwd: at.folder, env: at.env });
    expect(run.stderr).toMatch(/ATTEMPT_FAILED: /);
    expect(run.status).toBe(10);
  });
  test("must have a commit", async () => {
    rmSync(join(at.worktree, ".git"), { recursive: true });
    git(at.worktree, "init", "-q");
    await refused(10, /ATTEMPT_FAILED: .*HEAD/);
  });
  test("may be a linked one, and be reached through Git's routing variables of a caller", async () => {
    const linked = join(at.folder, "linked");
    git(at.worktree, "worktree", "add", "-q", "--detach", linked);
    const run = await engine(["attempt", "--model", "m", at.contract], {
      cwd: linked,
      env: { ...at.env, GIT_DIR: join(at.worktree, ".git") },
    });
    expect(run.stderr).toContain("attempt OK");
  });
});

describe("the revisions", () => {
  test("a contract that matches no existing tracked file", async () => {
    writeFileSync(at.contract, 'id: a\ntask: b\nwritable_paths: ["lib/*"]\n');
    await refused(10, "ATTEMPT_FAILED: contract matches no existing tracked writable file");
  });
  test("a contract without writable paths", async () => {
    writeFileSync(at.contract, "id: a\ntask: b\n");
    await refused(10, "ATTEMPT_FAILED: contract matches no existing tracked writable file");
  });
  test("links, what lies behind links, and names that are not UTF-8 are left out; the last are counted", async () => {
    at.pi('printf "%s" "$SATYRN_MUTATION_CONTEXT" >"$SEEN"; printf "%s\\n" "$OUT"');
    symlinkSync("app.py", join(at.worktree, "src/link.py"));
    writeFileSync(Buffer.concat([Buffer.from(join(at.worktree, "src/caf")), Buffer.from([0xe9])]), "");
    writeFileSync(join(at.worktree, "src/café.py"), "");
    git(at.worktree, "add", "-A");
    git(at.worktree, "commit", "-qm", "more");
    const seen = join(at.folder, "seen");
    const run = await at.attempt([], { SEEN: seen });
    expect(run.stderr).toStartWith("satyrn-engine: 1 files are left out: their names are not UTF-8\n");
    expect(Object.keys(JSON.parse(readFileSync(seen, "utf8")).revisions)).toEqual([
      "src/app.py",
      "src/café.py",
    ]);
  });
});

describe("SATYRN_PI", () => {
  const expected =
    'ATTEMPT_FAILED: SATYRN_PI must be a JSON list of words, the program first, such as ["node","/opt/pi/cli.js"]';
  for (const value of ["[]", "{}", '"pi"', '["", "x"]', '["pi", 1]']) {
    test(`malformed: ${value}`, () => refused(10, expected, { SATYRN_PI: value }));
  }
  test("malformed: no JSON", () => refused(10, `${expected}; it is not JSON`, { SATYRN_PI: "pi" }));
  test("relative", () =>
    refused(10, "ATTEMPT_FAILED: Pi must be an absolute path or a name on PATH, not './pi'", {
      SATYRN_PI: '["./pi"]',
    }));
  test("a program that is not there", async () => {
    const run = await at.attempt([], { SATYRN_PI: '["/nowhere/pi"]' });
    expect(run.stderr).toBe(
      "satyrn-engine: ATTEMPT_FAILED: Pi could not be started: program '/nowhere/pi' does not exist\n",
    );
    expect([run.status, run.stdout, at.written(at.transcript)]).toEqual([10, "", ""]);
  });

  test("unset: pi on PATH, but not one inside the worktree", async () => {
    const planted = join(at.worktree, "bin");
    mkdirSync(planted);
    writeFileSync(join(planted, "pi"), `#!/bin/sh\necho planted >"${ran()}"\n`);
    chmodSync(join(planted, "pi"), 0o755);
    git(at.worktree, "add", "-A");
    git(at.worktree, "commit", "-qm", "planted");
    const path = `bin:${planted}:${process.env["PATH"]}`;
    await refused(10, /ATTEMPT_FAILED: .*pi/, { SATYRN_PI: "", PATH: path });
    const run = await at.attempt([], { SATYRN_PI: undefined, PATH: `${path}:${at.folder}` });
    expect(run.stderr).toContain("attempt OK");
    expect(at.written(ran())).toBe("yes\n");
  });
});

describe("artifact destinations", () => {
  const patch = (path: string) => ({ SATYRN_ATTEMPT_PATCH: path });
  test("must be absent", async () => {
    writeFileSync(at.patch, "mine");
    await refused(10, `ATTEMPT_FAILED: SATYRN_ATTEMPT_PATCH '${at.patch}': it exists already`);
    expect(at.written(at.patch)).toBe("mine");
  });
  test("a dangling link is not absent", async () => {
    symlinkSync("nowhere", at.transcript);
    await refused(10, `ATTEMPT_FAILED: SATYRN_ATTEMPT_TRANSCRIPT '${at.transcript}': it exists already`);
  });
  test("need a parent", () =>
    refused(10, /SATYRN_ATTEMPT_PATCH '.*': .*ENOENT/, patch(join(at.folder, "none/p"))));
  test("need a parent that is a folder", () =>
    refused(
      10,
      `ATTEMPT_FAILED: SATYRN_ATTEMPT_PATCH '${at.contract}/p': its parent is not a real folder`,
      patch(join(at.contract, "p")),
    ));
  test("need a parent that is no link", async () => {
    symlinkSync("evidence", join(at.folder, "alias"));
    const path = join(at.folder, "alias/p");
    await refused(
      10,
      `ATTEMPT_FAILED: SATYRN_ATTEMPT_PATCH '${path}': its parent is not a real folder`,
      patch(path),
    );
  });
  test.if(process.platform === "linux")("need a parent whose real path is UTF-8", async () => {
    const lossy = Buffer.concat([Buffer.from(`${at.folder}/a`), Buffer.from([0xff])]);
    mkdirSync(Buffer.concat([lossy, Buffer.from("/sub")]), { recursive: true });
    symlinkSync(lossy, join(at.folder, "alias"));
    const real = `its real path holds bytes that are not UTF-8: ${at.folder}/a\ufffd/sub`;
    const path = join(at.folder, "alias/sub/p");
    await refused(10, `ATTEMPT_FAILED: SATYRN_ATTEMPT_PATCH '${path}': ${real}`, patch(path));
  });
  test("lie outside the worktree", () =>
    refused(
      10,
      `ATTEMPT_FAILED: SATYRN_ATTEMPT_PATCH '${at.worktree}/src/p': it must lie outside '${at.worktree}'`,
      patch(join(at.worktree, "src/p")),
    ));
  test("relative ones lie in it", () => refused(10, /it must lie outside/, patch("p")));
  test("lie outside the worktree under any alias", async () => {
    symlinkSync("worktree", join(at.folder, "alias"));
    await refused(10, /it must lie outside/, patch(join(at.folder, "alias/src/p")));
  });
  test("lie outside Git's own folder", () =>
    refused(10, /it must lie outside/, patch(join(at.worktree, ".git/hooks/p"))));
  test("lie outside every registered worktree", async () => {
    const linked = join(at.folder, "linked");
    git(at.worktree, "worktree", "add", "-q", "--detach", linked);
    await refused(
      10,
      `ATTEMPT_FAILED: SATYRN_ATTEMPT_PATCH '${linked}/p': it must lie outside '${linked}'`,
      patch(join(linked, "p")),
    );
  });
  test("are two", () =>
    refused(
      10,
      /ATTEMPT_FAILED: SATYRN_ATTEMPT_PATCH '.*': it is also the transcript/,
      patch(at.transcript),
    ));

  test("a parent that is swapped for a link meanwhile leads nowhere else", async () => {
    at.pi(
      `mv "${at.folder}/evidence" "${at.folder}/moved"; ln -s "${at.worktree}" "${at.folder}/evidence"; printf 'one\\n2\\n' >src/app.py; printf "%s\\n" "$OUT"`,
    );
    expect((await at.attempt()).status).toBe(0);
    expect(readdirSync(join(at.folder, "moved")).sort()).toEqual(["change.patch", "transcript.jsonl"]);
    expect(git(at.worktree, "status", "--porcelain")).toBe(" M src/app.py");
  });
  test("a destination that appears meanwhile is not overwritten, and the attempt failed", async () => {
    at.pi(`echo mine >"${at.patch}"; printf 'one\\n2\\n' >src/app.py; printf "%s\\n" "$OUT"`);
    const run = await at.attempt();
    expect(run.stderr).toMatch(/ATTEMPT_FAILED: SATYRN_ATTEMPT_PATCH '.*': .*EEXIST/);
    expect(run.status).toBe(10);
    expect(at.written(at.patch)).toBe("mine\n");
    expect(readdirSync(join(at.folder, "evidence")).sort()).toEqual(["change.patch", "transcript.jsonl"]);
  });
});

test("a binary change is in the patch; hooks, external diffs and text conversions do not run", async () => {
  at.dispose();
  at = world({
    "src/data.bin": Uint8Array.from([0, 1, 2, 255]),
    ".gitattributes": "*.bin diff=planted\n*.py diff=planted\n",
  });
  git(at.worktree, "config", "diff.planted.command", `touch ${at.folder}/external`);
  git(at.worktree, "config", "diff.planted.textconv", `touch ${at.folder}/textconv;cat`);
  git(at.worktree, "config", "core.fsmonitor", `${at.folder}/fsmonitor`);
  git(at.worktree, "config", "color.ui", "always");
  at.pi('printf "\\377\\376" >src/data.bin; printf "one\\n2\\n" >src/app.py; printf "%s\\n" "$OUT"');
  expect((await at.attempt()).status).toBe(0);
  expect(readdirSync(at.folder).sort()).toEqual(["contract.yaml", "evidence", "pi", "tmp", "worktree"]);
  git(at.worktree, "checkout", "-q", ".");
  git(at.worktree, "apply", at.patch);
  expect(readFileSync(join(at.worktree, "src/data.bin"))).toEqual(Buffer.from([255, 254]));
});

test.each([
  ["diff.noprefix", "true"],
  ["diff.mnemonicPrefix", "true"],
  ["diff.context", "0"],
  ["diff.interHunkContext", "99"],
  ["diff.relative", "true"],
  ["diff.ignoreSubmodules", "all"],
  ["core.quotePath", "false"],
])("the patch applies, and is the same, whatever a person sets for diffs: %s=%s", async (key, value) => {
  at.pi('printf "one\\n2\\n" >src/app.py; printf "%s\\n" "$OUT"');
  expect((await at.attempt()).status).toBe(0);
  const plain = at.written(at.patch);
  expect(plain).toStartWith("diff --git a/src/app.py b/src/app.py\n");
  git(at.worktree, "checkout", "-q", ".");
  for (const path of [at.patch, at.transcript]) rmSync(path);
  git(at.worktree, "config", key, value);
  expect((await at.attempt()).status).toBe(0);
  expect(at.written(at.patch)).toBe(plain);
  git(at.worktree, "checkout", "-q", ".");
  git(at.worktree, "apply", at.patch);
  expect(readFileSync(join(at.worktree, "src/app.py"), "utf8")).toBe("one\n2\n");
});

test("marks that the session sets hide no edit from the patch, and the index stays as the session left it", async () => {
  const edit = 'printf "one\\n2\\n" >src/app.py; echo other >README.md';
  const hide = "git update-index --assume-unchanged src/app.py; git update-index --skip-worktree README.md";
  at.pi(`${edit}; ${hide}; echo new >new.txt; git add new.txt; printf "%s\\n" "$OUT"`);
  expect((await at.attempt()).status).toBe(0);
  expect(at.written(at.patch)).toContain("\n-two\n+2\n");
  expect(at.written(at.patch)).toContain("\n+other\n");
  expect(at.written(at.patch)).not.toContain("new.txt");
  expect(git(at.worktree, "ls-files", "-v").split("\n").sort()).toEqual([
    "H new.txt",
    "S README.md",
    "h src/app.py",
  ]);
});

test("a filter that the session plants is not run: there is no patch, and the attempt failed", async () => {
  at.pi(
    `git config filter.planted.clean 'touch "${at.folder}/filter"; cat'; echo '* filter=planted' >"$(git rev-parse --git-common-dir)/info/attributes"; printf 'one\\n2\\n' >src/app.py; printf "%s\\n" "$OUT"`,
  );
  const run = await at.attempt();
  expect(run.stderr).toBe(
    `satyrn-engine: ATTEMPT_FAILED: SATYRN_ATTEMPT_PATCH '${at.patch}': Git state is not what it was: ${at.worktree}/.git/info/attributes\n`,
  );
  expect(run.status).toBe(10);
  expect(readdirSync(at.folder)).not.toContain("filter");
  expect(at.written(at.patch)).toBeNull();
});

test("a prompt that does not fit is refused with size and limit", async () => {
  writeFileSync(at.contract, `${contractText.replace("Count to two.", `"${"x".repeat(131_000)}"`)}`);
  await refused(
    10,
    /^satyrn-engine: ATTEMPT_FAILED: the prompt does not fit into an argument: it has \d+ bytes with its end, more than 131072\n$/,
  );
});

test("temporary files stay out of the worktree, whatever TMPDIR says", async () => {
  at.pi('printf "%s" "$SATYRN_MUTATION_CONTEXT" >"$SEEN"; printf "%s\\n" "$OUT"');
  const seen = join(at.folder, "seen");
  for (const TMPDIR of [at.worktree, join(at.worktree, "src"), "src", "/nowhere", ""]) {
    const run = await at.attempt([], {
      TMPDIR,
      SEEN: seen,
      SATYRN_ATTEMPT_TRANSCRIPT: undefined,
      SATYRN_ATTEMPT_PATCH: undefined,
    });
    expect(run.stderr).toContain("attempt OK");
    expect(JSON.parse(readFileSync(seen, "utf8")).contract).toStartWith("/tmp/satyrn-engine-");
  }
});
