/** What the proof for one system is: what it takes, and what it runs. */
import { join } from "node:path";
import type { Part } from "../tests.ts";

export interface Proof {
  readonly system: string;
  /** How the executables are started here, in a few words. */
  readonly means: string;
  /** The Debian packages that this takes. */
  readonly packages: readonly string[];
  /** Gets what no package brings. Called on demand alone. */
  readonly prepare?: () => Promise<void>;
  /** Why it cannot run here, with what would help; undefined if it can. */
  readonly obstacle: () => string | undefined;
  /** Runs it, with `folder` to work in; `short` is less of it, for every run of everything. */
  readonly prove: (folder: string, short: boolean) => Promise<readonly Part[]>;
  /** What it cannot show, each with what was looked at instead. */
  readonly unproven: readonly string[];
}

export const root = join(import.meta.dir, "../..");

/** The options of the tiers that start processes. */
export const withProcesses = ["--config=test/bunfig.toml", "--timeout=300000"];

/** The tests that start the executable and nothing else that is built. */
export const blackBox = [
  "acceptance",
  "check",
  "deliver",
  "hostile-folder",
  "protocol",
  "replace",
  "test-operation",
  "texts",
  "usage",
  "verification",
].map((name) => `test/binary/${name}.test.ts`);

/** What Debian's libstdc++ and libgcc expect of glibc, and musl lacks. */
export const glibcForLibstdcxx = `typedef unsigned long size_t;
long getrandom(void *, size_t, unsigned);
size_t strftime_l(char *, size_t, const char *, const void *, void *);
unsigned long getauxval(unsigned long);
unsigned arc4random(void) { unsigned value = 0; getrandom(&value, sizeof value, 0); return value; }
size_t __strftime_l(char *s, size_t n, const char *f, const void *t, void *l) { return strftime_l(s, n, f, t, l); }
unsigned long __getauxval(unsigned long kind) { return getauxval(kind); }
int __cxa_thread_atexit_impl(void (*run)(void *), void *of, void *in) { return 0; }
char __libc_single_threaded = 0;
int _dl_find_object(void *address, void *found) { return -1; }
#ifdef __x86_64__
int __cpu_indicator_init(void) { return 0; }
unsigned __cpu_model[4];
#endif
`;
