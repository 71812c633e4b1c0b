/**
 * What a repository, an environment or the command plants for the engine's Git to run or be misled by. Each test
 * first shows that it bites plain Git, then that it does not bite a delivery.
 */
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  baseFiles,
  byHand,
  candidateFile,
  deliverIn,
  expectNothingLeft,
  type Scene,
  scenes,
} from "../../support/delivery.ts";
import { git, gitEnvironment, makeRepository, snapshot, writeFiles } from "../../support/repository.ts";

const newScene = scenes();
const change = "echo changed > a.txt";

/** A program that leaves a mark when it runs and gives back what it reads, and the file that is its mark. */
function trap(at: Scene, name = "trap"): { readonly path: string; readonly sprung: () => boolean } {
  const path = join(at.folder, name);
  const mark = `${path}.sprung`;
  writeFiles(at.folder, { [name]: `#!/bin/sh\ntouch "${mark}"\ncat\n` });
  chmodSync(path, 0o755);
  return { path, sprung: () => existsSync(mark) };
}

/** A line for the shell that sets a trap in the configuration or a file, its path with a blank in it quoted twice. */
const quoted = (path: string) => `'"${path}"'`;

describe("inherited GIT_* variables", () => {
  test("that name another repository lead neither the engine nor the command there", async () => {
    const at = newScene();
    const other = join(at.folder, "other");
    makeRepository(other, { "other.txt": "other\n" });
    const env = {
      GIT_DIR: join(other, ".git"),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, ".git/index"),
      GIT_OBJECT_DIRECTORY: join(other, ".git/objects"),
      GIT_COMMON_DIR: join(other, ".git"),
      GIT_NAMESPACE: "elsewhere",
      GIT_PREFIX: "src/",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.bare",
      GIT_CONFIG_VALUE_0: "true",
      GIT_CONFIG_PARAMETERS: "'core.bare'='true'",
      GIT_QUARANTINE_PATH: join(other, ".git/objects"),
    };
    const plain = Bun.spawnSync(["git", "rev-parse", "--git-dir"], {
      cwd: at.repo,
      env: { ...gitEnvironment(), GIT_DIR: env.GIT_DIR },
    });
    expect(plain.stdout.toString()).toBe(`${env.GIT_DIR}\n`);
    const before = snapshot(other);
    const receipt = await deliverIn(at, "git rev-parse --absolute-git-dir > where; git add -A", { env });
    expect(receipt.code).toBe("OK");
    expect(candidateFile(at, receipt, "where")).toStartWith(join(at.repo, ".git/worktrees/"));
    expect(snapshot(other)).toEqual(before);
  });

  test("GIT_OBJECT_DIRECTORY and GIT_ALTERNATE_OBJECT_DIRECTORIES take no object elsewhere", async () => {
    const at = newScene();
    const elsewhere = join(at.folder, "elsewhere");
    writeFiles(elsewhere, { "pack/.keep": "" });
    const env = { GIT_OBJECT_DIRECTORY: elsewhere, GIT_ALTERNATE_OBJECT_DIRECTORIES: elsewhere };
    const receipt = await deliverIn(at, change, { env });
    expect(receipt.code).toBe("OK");
    expect(git(at.repo, "cat-file", "-t", receipt.candidate_commit as string)).toBe("commit");
  });

  test("GIT_INDEX_FILE, GIT_EXTERNAL_DIFF, GIT_LITERAL_PATHSPECS and GIT_TRACE change nothing", async () => {
    const at = newScene();
    const { path, sprung } = trap(at);
    const env = {
      GIT_EXTERNAL_DIFF: path,
      GIT_PAGER: path,
      GIT_EDITOR: path,
      GIT_ASKPASS: path,
      GIT_TRACE: "1",
      GIT_TRACE2_EVENT: "1",
      GIT_REFLOG_ACTION: "x",
      GIT_DEFAULT_HASH: "sha256",
    };
    expect((await deliverIn(at, change, { env })).code).toBe("OK");
    expect(sprung()).toBe(false);
  });

  test("a delivery from inside a hook is a delivery like any other", async () => {
    const at = newScene();
    const engine = join(import.meta.dir, "../../../src/main.ts");
    const out = join(at.folder, "receipt.json");
    const seen = join(at.folder, "seen");
    const hook = join(at.repo, ".git/hooks/post-commit");
    const deliver = `"${process.execPath}" "${engine}" deliver --repo "${at.repo}" "${at.contract}"`;
    writeFileSync(
      hook,
      `#!/bin/sh\nenv | grep '^GIT_INDEX_FILE=' > "${seen}"\n` +
        `TMPDIR="${at.temporary}" ${deliver} -- sh -c '${change}; env > env.txt' > "${out}"\n`,
    );
    chmodSync(hook, 0o755);
    git(at.repo, "commit", "-q", "--allow-empty", "-m", "from a hook");
    expect(readFileSync(seen, "utf8")).toContain("GIT_INDEX_FILE=");
    const receipt = JSON.parse(readFileSync(out, "utf8"));
    expect(receipt).toMatchObject({ code: "OK", changed_paths: ["a.txt", "env.txt"] });
    expect(receipt.base_commit).toBe(git(at.repo, "rev-parse", "HEAD"));
    expect(candidateFile(at, receipt, "env.txt")).not.toMatch(/^GIT_(INDEX_FILE|DIR|PREFIX)=/m);
    expect(git(at.repo, "status", "--porcelain")).toBe("");
    expectNothingLeft(at);
  });
});

describe("hooks", () => {
  for (const name of ["post-checkout", "reference-transaction", "post-index-change"]) {
    test(name, async () => {
      const at = newScene();
      const { path, sprung } = trap(at);
      const hook = join(at.repo, ".git/hooks", name);
      writeFileSync(hook, `#!/bin/sh\nexec "${path}" < /dev/null\n`);
      chmodSync(hook, 0o755);
      const receipt = await deliverIn(at, change);
      expect([receipt.code, sprung()]).toEqual(["OK", false]);
      byHand(at, change);
      expect(sprung()).toBe(true);
    });
  }

  test("planted by the command, also by core.hooksPath, which installers set", async () => {
    const plant = (path: string) => `${change}; git config core.hooksPath "${path}"`;
    const at = newScene();
    const { path, sprung } = trap(at, "hooks/reference-transaction");
    const receipt = await deliverIn(at, plant(join(path, "..")), { touchesSource: true });
    expect([receipt.code, sprung()]).toEqual(["OK", false]);
    git(at.repo, "update-ref", "refs/heads/other", "HEAD");
    expect(sprung()).toBe(true);
  });
});

describe("programs in the configuration", () => {
  test("core.fsmonitor set by the command", async () => {
    const plain = newScene();
    const bitten = trap(plain);
    const plant = (path: string) => `${change}; git config core.fsmonitor ${quoted(path)}`;
    byHand(plain, plant(bitten.path));
    expect(bitten.sprung()).toBe(true);
    const at = newScene();
    const { path, sprung } = trap(at);
    const receipt = await deliverIn(at, plant(path), { touchesSource: true });
    expect([receipt.code, sprung()]).toEqual(["OK", false]);
    expectNothingLeft(at);
  });

  const filters: Record<string, string> = {
    ".gitattributes": "echo '* filter=x' > .gitattributes",
    "info/attributes": "echo '* filter=x' > \"$(git rev-parse --git-common-dir)/info/attributes\"",
  };
  for (const [where, attribute] of Object.entries(filters)) {
    test(`a filter set by the command, with ${where}`, async () => {
      const plant = (path: string) =>
        `${change}; mkdir -p "$(git rev-parse --git-common-dir)/info"; ${attribute}; git config filter.x.clean ${quoted(path)}`;
      const plain = newScene();
      const bitten = trap(plain);
      byHand(plain, plant(bitten.path));
      expect(bitten.sprung()).toBe(true);
      const at = newScene();
      const { path, sprung } = trap(at);
      const receipt = await deliverIn(at, plant(path), { touchesSource: true });
      expect([receipt.code, sprung()]).toEqual(["COMMAND_CHANGED_GIT_STATE", false]);
      expect(receipt.source_drift).toBeNull();
      expectNothingLeft(at);
    });
  }

  test("a filter that the command brings back by naming it once more", async () => {
    const at = newScene(undefined, { ...baseFiles, ".gitattributes": "*.txt filter=x\n" });
    const { path, sprung } = trap(at);
    git(at.repo, "config", "filter.x.clean", `"${path}"`);
    git(at.repo, "config", "--add", "filter.x.clean", "cat");
    const receipt = await deliverIn(at, `${change}; git config --add filter.x.clean ${quoted(path)}`, {
      touchesSource: true,
    });
    expect([receipt.code, sprung()]).toEqual(["COMMAND_CHANGED_GIT_STATE", false]);
  });

  test("a filter set in a file that the configuration includes", async () => {
    const at = newScene(undefined, { ...baseFiles, ".gitattributes": "*.txt filter=x\n" });
    const { path, sprung } = trap(at);
    const included = join(at.folder, "included");
    writeFileSync(included, "");
    git(at.repo, "config", "include.path", included);
    const plant = `${change}; git config -f "${included}" filter.x.clean ${quoted(path)}`;
    const receipt = await deliverIn(at, plant);
    expect([receipt.code, sprung()]).toEqual(["COMMAND_CHANGED_GIT_STATE", false]);
  });

  test("a filter set in the caller's own config.worktree, and a caller's file touched so that status runs it", async () => {
    const set = (at: Scene) => {
      git(at.repo, "config", "extensions.worktreeConfig", "true");
      return trap(at);
    };
    const plant = (at: Scene, path: string) =>
      `${change}; git -C "${at.repo}" config --worktree filter.x.clean ${quoted(path)}; touch -d 2001-01-01 "${at.repo}/a.txt"`;
    const files = { ...baseFiles, ".gitattributes": "*.txt filter=x\n" };
    const plain = newScene(undefined, files);
    const bitten = set(plain);
    byHand(plain, plant(plain, bitten.path));
    git(plain.repo, "status");
    expect(bitten.sprung()).toBe(true);
    const at = newScene(undefined, files);
    const { path, sprung } = set(at);
    const receipt = await deliverIn(at, plant(at, path), { touchesSource: true });
    expect([receipt.code, receipt.source_drift, sprung()]).toEqual([
      "COMMAND_CHANGED_GIT_STATE",
      null,
      false,
    ]);
  });

  const scopes: Record<string, (at: Scene) => Record<string, string | undefined>> = {
    "the person's own file": (at) => ({ HOME: join(at.folder, "home"), GIT_CONFIG_GLOBAL: undefined }),
    "the file that XDG_CONFIG_HOME leads to": (at) => ({
      HOME: join(at.folder, "home"),
      XDG_CONFIG_HOME: join(at.folder, "home/xdg"),
      GIT_CONFIG_GLOBAL: undefined,
    }),
    "the file that GIT_CONFIG_GLOBAL names": (at) => ({ GIT_CONFIG_GLOBAL: join(at.folder, "home/global") }),
    "the system's file": (at) => ({
      GIT_CONFIG_SYSTEM: join(at.folder, "home/system"),
      GIT_CONFIG_NOSYSTEM: undefined,
    }),
  };
  const places = [".gitconfig", "xdg/git/config", "global", "system"];
  for (const [at, [where, variables]] of Object.entries(scopes).entries()) {
    for (const isThere of [true, false]) {
      test(`a filter set by the command in ${where}, which is ${isThere ? "" : "not "}there before`, async () => {
        const scene = newScene(undefined, { ...baseFiles, ".gitattributes": "*.txt filter=x\n" });
        const { path, sprung } = trap(scene);
        const file = join(scene.folder, "home", places[at] ?? "");
        mkdirSync(dirname(file), { recursive: true });
        if (isThere) writeFileSync(file, "[user]\n\tname = A Person\n");
        const receipt = await deliverIn(
          scene,
          `${change}; git config -f "${file}" filter.x.clean ${quoted(path)}`,
          { env: variables(scene) },
        );
        expect(sprung()).toBe(false);
        // A system's file has no known name while it is not there: the engine's Git is told to read none.
        const code = where === "the system's file" && !isThere ? "OK" : "COMMAND_CHANGED_GIT_STATE";
        expect(receipt.code).toBe(code);
      });
    }
  }

  test("a signer that blocks", async () => {
    const at = newScene();
    const signer = join(at.folder, "signer");
    writeFileSync(signer, "#!/bin/sh\nsleep 600\n");
    chmodSync(signer, 0o755);
    for (const [name, value] of Object.entries({
      "commit.gpgSign": "true",
      "tag.gpgSign": "true",
      "gpg.program": signer,
    }))
      git(at.repo, "config", name, value);
    // timeout(1) ends its whole process group, the signer with it; 124 says that it had to.
    const plain = Bun.spawnSync(["timeout", "0.3", "git", "commit", "--allow-empty", "-m", "x"], {
      cwd: at.repo,
      env: gitEnvironment(),
    });
    expect(plain.exitCode).toBe(124);
    expect((await deliverIn(at, change)).code).toBe("OK");
  });
});

describe("what hides a change", () => {
  test("info/exclude written by the command", async () => {
    const hide =
      'd=$(git rev-parse --git-common-dir)/info; mkdir -p "$d"; echo new.txt >> "$d/exclude"; echo x > new.txt';
    expect(byHand(newScene(), `${hide}; ${change}`)).toEqual(["a.txt"]);
    const at = newScene();
    const receipt = await deliverIn(at, `${hide}; ${change}`, { touchesSource: true });
    expect([receipt.code, receipt.message]).toEqual([
      "COMMAND_CHANGED_GIT_STATE",
      expect.stringContaining("info/exclude"),
    ]);
  });

  test("a file that core.excludesFile names, absolute or in the worktree, written by the command", async () => {
    for (const inside of [false, true]) {
      const make = () => {
        const at = newScene(undefined, { ...baseFiles, ignored: "none\n" });
        const file = inside ? "ignored" : join(at.folder, "ignored");
        git(at.repo, "config", "core.excludesFile", file);
        return { at, hide: `echo new.txt > "${file}"; echo x > new.txt; ${change}` };
      };
      const plain = make();
      expect(byHand(plain.at, plain.hide)).not.toContain("new.txt");
      const { at, hide } = make();
      expect((await deliverIn(at, hide)).code).toBe("COMMAND_CHANGED_GIT_STATE");
    }
  });

  for (const flag of ["--assume-unchanged", "--skip-worktree"]) {
    test(`update-index ${flag}`, async () => {
      const hide = `${change}; git update-index ${flag} a.txt`;
      expect(byHand(newScene(), hide)).toEqual([]);
      const receipt = await deliverIn(newScene(), hide);
      expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
    });
  }

  for (const flag of ["--assume-unchanged", "--skip-worktree"]) {
    test(`update-index ${flag} in the engine's own index`, async () => {
      const hide = `GIT_INDEX_FILE=$PWD/../index git update-index ${flag} a.txt; ${change}; echo x > new`;
      expect((await deliverIn(newScene(), hide)).code).toBe("COMMAND_CHANGED_GIT_STATE");
      const check = JSON.stringify(hide);
      const at = newScene(`id: fix-1\ntask: t\nacceptance: {verification_commands: [{cmd: ${check}}]}\n`);
      const receipt = await deliverIn(at, "echo y > run.sh");
      expect([receipt.code, receipt.changed_paths]).toEqual(["COMMAND_CHANGED_GIT_STATE", ["run.sh"]]);
    });
  }
  for (const name of ["index", "index.pristine"]) {
    test(`the engine's own ${name} put back in its place, as old as it was`, async () => {
      const hide = `cp -p ../${name} ../x; mv ../x ../${name}; ${change}`;
      expect((await deliverIn(newScene(), hide)).code).toBe("COMMAND_CHANGED_GIT_STATE");
      const inPlace = `touch -r ../${name} ../x; printf D | dd of=../${name} conv=notrunc 2>/dev/null; touch -r ../x ../${name}; ${change}`;
      expect((await deliverIn(newScene(), inPlace)).code).toBe("COMMAND_CHANGED_GIT_STATE");
    });
  }

  test("an index of the command's own making", async () => {
    const hide = `${change}; git rm -q --cached src/b.txt; git update-index --index-version 4; rm src/b.txt`;
    const receipt = await deliverIn(newScene(), hide);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt", "src/b.txt"]]);
  });

  test("core.fileMode and core.autocrlf set by the command", async () => {
    const hide = "git config core.fileMode false; chmod +x run.sh; echo x >> a.txt";
    expect(byHand(newScene(), hide)).toEqual(["a.txt"]);
    expect((await deliverIn(newScene(), hide, { touchesSource: true })).code).toBe(
      "COMMAND_CHANGED_GIT_STATE",
    );
  });
});

describe("what leads Git elsewhere", () => {
  test("the worktree's .git file replaced", async () => {
    const redirect = (at: Scene) => {
      const other = join(at.folder, "other");
      makeRepository(other, { "other.txt": "other\n" });
      return { other, command: `${change}; echo "gitdir: ${other}/.git" > .git` };
    };
    const plain = newScene();
    const bitten = redirect(plain);
    byHand(plain, bitten.command);
    expect(git(bitten.other, "ls-files")).toContain("a.txt");
    const at = newScene();
    const { other, command } = redirect(at);
    const before = snapshot(other);
    expect((await deliverIn(at, command)).code).toBe("COMMAND_CHANGED_GIT_STATE");
    expect(snapshot(other)).toEqual(before);
  });

  for (const [what, command] of Object.entries({
    deleted: "rm .git",
    "replaced by a repository": "rm .git; git init -q .",
    "replaced by a link": "cp .git ../copy; rm .git; ln -s ../copy .git",
  })) {
    test(`the worktree's .git file ${what}`, async () => {
      expect((await deliverIn(newScene(), `${change}; ${command}`)).code).toBe("COMMAND_CHANGED_GIT_STATE");
    });
  }

  for (const name of ["gitdir", "commondir", "HEAD"]) {
    test(`${name} of the worktree's Git directory deleted`, async () => {
      const receipt = await deliverIn(newScene(), `${change}; rm "$(git rev-parse --git-dir)/${name}"`);
      expect(receipt.code).toBe("COMMAND_CHANGED_GIT_STATE");
    });
  }

  test("HEAD replaced by a link that leads nowhere", async () => {
    const receipt = await deliverIn(
      newScene(),
      `${change}; ln -sf refs/heads/nowhere "$(git rev-parse --git-dir)/HEAD"`,
    );
    expect(receipt.code).toBe("COMMAND_CHANGED_HEAD");
  });

  test("the worktree's Git directory deleted", async () => {
    const receipt = await deliverIn(newScene(), `${change}; rm -r "$(git rev-parse --git-dir)"`);
    expect(receipt.code).toBe("COMMAND_CHANGED_GIT_STATE");
  });

  test("core.bare flipped through the worktree", async () => {
    const flip = `${change}; GIT_DIR=$(git rev-parse --git-dir) git init -q`;
    const plain = newScene();
    expect(() => byHand(plain, flip)).not.toThrow();
    expect(git(plain.repo, "config", "core.bare")).toBe("true");
    const receipt = await deliverIn(newScene(), flip, { touchesSource: true });
    expect([receipt.code, receipt.message]).toEqual([
      "COMMAND_CHANGED_GIT_STATE",
      expect.stringContaining("core.bare"),
    ]);
  });

  test("core.worktree set through the worktree", async () => {
    const at = newScene();
    const receipt = await deliverIn(at, `${change}; git config core.worktree "${at.folder}"`, {
      touchesSource: true,
    });
    expect(receipt.code).toBe("COMMAND_CHANGED_GIT_STATE");
  });

  test("objects/info/alternates written by the command", async () => {
    const write = 'echo /nowhere > "$(git rev-parse --git-common-dir)/objects/info/alternates"';
    expect((await deliverIn(newScene(), `${change}; ${write}`)).code).toBe("COMMAND_CHANGED_GIT_STATE");
  });
});

describe("replaced history", () => {
  test("a replace ref that was there before: the base is the real one", async () => {
    const at = newScene();
    writeFiles(at.repo, { "a.txt": "replacement\n" });
    const blob = git(at.repo, "hash-object", "-w", "a.txt");
    writeFiles(at.repo, { "a.txt": "one\n" });
    git(at.repo, "replace", git(at.repo, "rev-parse", "HEAD:a.txt"), blob);
    const path = join(at.folder, "by hand");
    git(at.repo, "worktree", "add", "--detach", path);
    expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("replacement\n");
    git(at.repo, "worktree", "remove", "--force", path);
    git(at.repo, "update-index", "--refresh");
    const receipt = await deliverIn(at, "cat a.txt > copy.txt");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["copy.txt"]]);
    const read = ["--no-replace-objects", "show", `${receipt.candidate_commit}:copy.txt`] as const;
    expect(git(at.repo, ...read)).toBe("one");
  });

  test("a replace ref planted by the command", async () => {
    const plant = `git replace HEAD:a.txt "$(echo planted | git hash-object -w --stdin)"; ${change}`;
    expect((await deliverIn(newScene(), plant, { touchesSource: true })).code).toBe(
      "COMMAND_CHANGED_GIT_STATE",
    );
  });

  const settings = { "": [], ", with includes in the configuration": ["include.path", "/nowhere"] };
  for (const [where, setting] of Object.entries(settings)) {
    test(`a replace ref planted by the command and packed, also where one was before${where}`, async () => {
      for (const before of [false, true]) {
        const at = newScene();
        if (setting.length > 0) git(at.repo, "config", ...setting);
        const replace = "git replace -f HEAD:src/b.txt $(echo before | git hash-object -w --stdin)";
        if (before) Bun.spawnSync(["sh", "-c", replace], { cwd: at.repo, env: gitEnvironment() });
        git(at.repo, "pack-refs", "--all");
        const plant = `git replace HEAD:a.txt "$(echo planted | git hash-object -w --stdin)"`;
        for (const pack of ["", "; git pack-refs --all"]) {
          const receipt = await deliverIn(at, `${plant}${pack}; ${change}`, { touchesSource: true });
          expect([receipt.code, receipt.message]).toEqual([
            "COMMAND_CHANGED_GIT_STATE",
            expect.stringContaining("refs/replace/"),
          ]);
          Bun.spawnSync(["git", "replace", "-d", git(at.repo, "rev-parse", "HEAD:a.txt")], { cwd: at.repo });
        }
      }
    });
  }

  test("refs that are packed meanwhile are no change", async () => {
    const at = newScene();
    git(at.repo, "pack-refs", "--all");
    const receipt = await deliverIn(at, `git pack-refs --all; git config user.name B; ${change}`, {
      touchesSource: true,
    });
    expect(receipt.code).toBe("OK");
  });

  test("a graft that was there before, and one planted by the command", async () => {
    const graft = (at: Scene) =>
      writeFiles(at.repo, { ".git/info/grafts": `${git(at.repo, "rev-parse", "HEAD")}\n` });
    const at = newScene();
    git(at.repo, "commit", "-q", "--allow-empty", "-m", "second");
    graft(at);
    expect(git(at.repo, "rev-list", "--count", "HEAD")).toBe("1");
    const receipt = await deliverIn(at, "git rev-list --count HEAD > count.txt");
    expect(receipt.code).toBe("OK");
    const plant = `git rev-parse HEAD > "$(git rev-parse --git-common-dir)/info/grafts"; ${change}`;
    expect(
      (await deliverIn(newScene(), `mkdir -p "$(git rev-parse --git-common-dir)/info"; ${plant}`)).code,
    ).toBe("COMMAND_CHANGED_GIT_STATE");
  });
});

describe("a pipe that nobody writes to", () => {
  for (const place of [
    "$common/info/exclude",
    "$common/config",
    "$common/packed-refs",
    "$common/objects/info/alternates",
    "$admin/HEAD",
    "$admin/gitdir",
    "$admin/commondir",
    "$admin/config.worktree",
    "$PWD/.git",
  ]) {
    test(`in the place of ${place} holds nobody up`, async () => {
      const at = newScene();
      const saved = join(at.folder, "saved");
      const plant = `admin=$(git rev-parse --absolute-git-dir); common=$(cd "$(git rev-parse --git-common-dir)" && pwd -P)
        mkdir -p "$common/info"; echo "${place}" > "${saved}"; [ ! -e "${place}" ] || mv "${place}" "${saved}.content"
        mkfifo "${place}"; ${change}`;
      const mainfile = join(import.meta.dir, "../../../src/main.ts");
      const argv = ["deliver", "--repo", at.repo, at.contract, "--", "sh", "-c", plant];
      const run = Bun.spawnSync([process.execPath, mainfile, ...argv], {
        env: { ...gitEnvironment(), TMPDIR: at.temporary },
        timeout: 8000,
        killSignal: "SIGKILL",
      });
      const receipt = JSON.parse(run.stdout.toString());
      expect(["COMMAND_CHANGED_GIT_STATE", "CLEANUP_FAILED"]).toContain(receipt.code);
    });
  }
});
