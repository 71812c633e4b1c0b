/** What the demo delivers: writes docs/exit-statuses.md from src/outcome.ts, both of the working directory. */
import { join } from "node:path";

const source = join(process.cwd(), "src/outcome.ts");
const { exitStatus } = (await import(source)) as typeof import("../src/outcome.ts");
const rows = Object.entries(exitStatus).map(([name, status]) => `| ${status} | \`${name}\` |\n`);
await Bun.write(
  "docs/exit-statuses.md",
  `# Exit statuses\n\n| status | name |\n|---:|---|\n${rows.join("")}`,
);
console.log(`docs/exit-statuses.md: ${rows.length} exit statuses`);
