#!/usr/bin/env node
// Starts the executable for this system, which a package of its own holds, and ends as it ends.

const { spawn } = require("node:child_process");

const made = PACKAGES;

function main() {
  const name = `satyrn-engine-${system()}`;
  if (!made.includes(name)) {
    fail(`no executable is made for ${process.platform} on ${process.arch}`);
    return;
  }
  const program = located(name);
  if (program === undefined) {
    fail(
      `the package ${name}, which holds the executable for this system, is not installed. ` +
        "It is an optional dependency of satyrn-engine: install satyrn-engine again, on this system " +
        "and without leaving out optional dependencies",
    );
    return;
  }
  run(program);
}

/** `linux-x64-musl` */
function system() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return `${platform}-${process.arch}${platform === "linux" && !hasGlibc() ? "-musl" : ""}`;
}

/** Whether Node itself runs on glibc, which its report names. */
function hasGlibc() {
  // Without this the report looks up the name of each peer of each socket.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}

function located(name) {
  const file = process.platform === "win32" ? "satyrn-engine.exe" : "satyrn-engine";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    return undefined;
  }
}

function run(program) {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  // On Windows a signal that is sent would end the child at once; its console tells it by itself.
  const forward = (signal) => process.platform === "win32" || child.kill(signal);
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  child.on("error", (error) => fail(`${program} cannot be started: ${error.message}`));
  child.on("exit", (status, signal) => {
    if (signal === null) {
      process.exitCode = status;
      return;
    }
    for (const each of signals) process.off(each, forward);
    process.kill(process.pid, signal);
  });
}

/** 1 is what no verdict was reached by. */
function fail(problem) {
  process.stderr.write(`satyrn-engine: ${problem}\n`);
  process.exitCode = 1;
}

main();
