/** A Python that answers questions, one JSON line each. */
export interface Python {
  ask(question: unknown): Promise<unknown>;
  close(): void;
}

export const python = Bun.which("python3");

/** Starts Python with a program that defines `answer(question)`. */
export function startPython(program: string): Python {
  const loop = `
import json, sys
${program}
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
`;
  const child = Bun.spawn([python ?? "python3", "-c", loop], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  let rest = "";
  const line = async (): Promise<string> => {
    for (;;) {
      const end = rest.indexOf("\n");
      if (end >= 0) {
        const found = rest.slice(0, end);
        rest = rest.slice(end + 1);
        return found;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error("Python ended");
      rest += new TextDecoder().decode(value);
    }
  };
  return {
    ask: async (question) => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      await child.stdin.flush();
      return JSON.parse(await line());
    },
    close: () => child.kill(),
  };
}
