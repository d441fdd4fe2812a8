// The emulator runs each instance of a Lambda function in a process of its own, a child of the emulator, whose script stands in a folder
// that is named after the function.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface FunctionProcesses {
  readonly functionName: string;
  /** The emulator's process; any parent where it is 0. */
  readonly emulator: number;
}

/** The ids of the processes that run a function now. */
export async function processesOf({ functionName, emulator }: FunctionProcesses): Promise<number[]> {
  const { stdout } = await execute('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes(`/ministack-lambda-${functionName}-`))
    .map((line) => line.trim().split(/\s+/, 2).map(Number))
    .filter(([, parent]) => emulator === 0 || parent === emulator)
    .map(([pid = 0]) => pid);
}

/** A variable of a process' own environment; throws where it has none of that name. */
export async function variableOf(pid: number, name: string): Promise<string> {
  const { stdout } = await execute('ps', ['eww', '-o', 'args=', '-p', String(pid)]);
  const value = new RegExp(`(?:^|\\s)${name}=(\\S+)`).exec(stdout)?.[1];
  if (value === undefined) throw new Error(`Process ${pid} has no variable ${name}.`);
  return value;
}
