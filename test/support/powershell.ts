/** What can be told of a PowerShell script without a PowerShell. */

/** The brackets that are not closed, or close nothing, and quotes that stand alone. */
export function loose(script: string): readonly string[] {
  const code = withoutComments(script)
    .replace(/'(?:[^'\n]|'')*'/g, " ")
    .replace(/"(?:[^"\n$]|\$(?!\()|\$\((?:[^()]|\([^()]*\))*\))*"/g, " ");
  const open: string[] = [];
  const wrong: string[] = [];
  const partner: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
  for (const [character] of code.matchAll(/[()[\]{}'"]/g)) {
    const opening = partner[character];
    if (opening === undefined) open.push(character);
    else if (open.pop() !== opening) wrong.push(character);
  }
  return [...wrong, ...open];
}

/** The variables that are read and neither set, declared, nor PowerShell's own. */
export function unknownVariables(script: string): readonly string[] {
  const code = withoutComments(script);
  const set = [...code.matchAll(/\$(\w+) \+?= |\$(\w+) in |\[string\] \$(\w+)|^\s*param\((.*)\)$/gm)].flatMap(
    ([, ...names]) => names.flatMap((name) => name?.match(/\w+/g) ?? []),
  );
  const own = ["_", "true", "false", "null", "env", "ExecutionContext"];
  const read = [...code.matchAll(/\$\{?(\w+)/g)].map((match) => match[1] ?? "");
  return [...new Set(read)].filter((name) => !/^\d$/.test(name) && ![...own, ...set].includes(name));
}

function withoutComments(script: string): string {
  return script.replace(/^\s*#.*$/gm, "");
}
