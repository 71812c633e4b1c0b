/** A program's process tree on Windows: a Job Object. */

import { kernel32 } from "./kernel32.ts";
import { type Channel, drain } from "./output.ts";
import { openNamedPipe } from "./output.windows.ts";
import { pause } from "./pause.ts";
import { findProgramOnWindows } from "./program.windows.ts";
import type { System, Tree } from "./system.ts";

/**
 * The program is put into a job right after its start; what it starts from then on is in the job too, and
 * ends with it. A process started in the moment before is not; it ends with the engine, whose executable is
 * built to take all its descendants along.
 *
 * There is no signal to ask with: a job is ended at once.
 */
export const windows: System = {
  findProgram: findProgramOnWindows,
  openChannel: () => openNamedPipe() ?? runtimesOwn,
  watch: () => holdInJob() ?? unheld,
};

// Where the calls for a pipe are not to be had: one for each stream, so that their order is lost.
const runtimesOwn: Channel = {
  stdio: "pipe",
  handedOver: () => {},
  drainInto: (sink, cut, stream) => {
    // Nothing tells whether the runtime's pipe is empty. Its end comes with the end of the job, and is
    // waited for no longer than this.
    let asked: number | null = null;
    const holdsNothing = () => {
      asked ??= performance.now();
      return performance.now() - asked > longestWaitForEnd;
    };
    return stream === null ? { finish: async () => {} } : drain(stream, holdsNothing, sink, cut);
  },
  close: () => {},
};

const longestWaitForEnd = 250;
const killLimit = 5000;

function holdInJob(): Tree | null {
  const calls = kernel32();
  const job = calls?.CreateJobObjectW(null, null) ?? 0n;
  if (calls === null || job === 0n) return null;
  const limits = new Uint8Array(extendedLimitSize);
  new DataView(limits.buffer).setUint32(limitFlagsOffset, killOnJobClose, true);
  calls.SetInformationJobObject(job, extendedLimitInformation, limits, extendedLimitSize);
  let isHeld = false;
  let program = 0n;

  function hold(pid: number): void {
    program = calls?.OpenProcess(allAccess, 0, pid) ?? 0n;
    if (calls === null || program === 0n) return;
    isHeld = calls.AssignProcessToJobObject(job, program) !== 0;
  }

  function active(): number {
    const accounting = new Uint8Array(basicAccountingSize);
    calls?.QueryInformationJobObject(job, basicAccountingInformation, accounting, basicAccountingSize, null);
    return new DataView(accounting.buffer).getUint32(activeProcessesOffset, true);
  }

  return {
    reach: "tree",
    hold,
    tearDown: async (leader) => {
      // A program that ended before it could be put into the job cannot be told to have left nothing.
      if (!isHeld && leader.isUnreaped()) process.kill(leader.pid, "SIGKILL");
      calls.TerminateJobObject(job, endedByEngine);
      const end = performance.now() + killLimit;
      while (active() > 0 && performance.now() < end) await pause(2);
      const left = active();
      return left === 0 ? [] : [`${left} processes of the job`];
    },
    // The runtime keeps eight bits of it, which makes a success of 256.
    exitStatus: () => {
      const status = new Uint32Array(1);
      if (program === 0n || calls.GetExitCodeProcess(program, status) === 0) return null;
      return status[0] ?? null;
    },
    release: () => {
      if (program !== 0n) calls.CloseHandle(program);
      calls.CloseHandle(job);
    },
  };
}

// Where there are no jobs the program alone is ended. Nothing can then be said of what it started.
const unheld: Tree = {
  reach: "group",
  hold: () => {},
  tearDown: async (leader) => {
    if (leader.isUnreaped()) process.kill(leader.pid, "SIGKILL");
    return ["processes that the program started, which cannot be told without a Job Object"];
  },
  exitStatus: () => null,
  release: () => {},
};

// winnt.h: JOBOBJECT_EXTENDED_LIMIT_INFORMATION and JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, 64 bits.
const extendedLimitInformation = 9;
const extendedLimitSize = 144;
const limitFlagsOffset = 16;
const killOnJobClose = 0x2000;
const basicAccountingInformation = 1;
const basicAccountingSize = 48;
const activeProcessesOffset = 40;

const allAccess = 0x1fffff;
// The exit status of what the engine ended; nobody is shown it.
const endedByEngine = 99;
