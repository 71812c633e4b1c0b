/** The floor of running commands: starts the same one so many times, one after the other. Takes the number, and the command. */
const [count = "0", ...command] = process.argv.slice(2);
for (let started = 0; started < Number(count); started++) {
  Bun.spawnSync(command, { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
}
process.exit(0);
