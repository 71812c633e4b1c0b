/** Starting a program of another processor. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes a program in `folder` that starts `executable` under QEMU with these libraries, so that whatever starts it
 * starts that, and no shell in between says a word; gives its path.
 */
export function interpreted(executable: string, folder: string, libraries: string): string {
  const [source, started] = [join(folder, "interpreted.c"), join(folder, "satyrn-engine")];
  const words = [Bun.which("qemu-aarch64-static") ?? "", "-L", libraries, executable].map((word) =>
    JSON.stringify(word),
  );
  writeFileSync(
    source,
    `#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
  char *argv[count + 4];
  char *first[] = {${words.join(", ")}};
  memcpy(argv, first, sizeof first);
  memcpy(argv + 4, words + 1, count * sizeof *words);
  execv(argv[0], argv);
  return 127;
}
`,
  );
  const compiled = Bun.spawnSync(["gcc", "-O1", "-o", started, source], { stderr: "inherit" });
  if (compiled.exitCode !== 0) throw new Error("gcc made no program that starts QEMU");
  return started;
}
