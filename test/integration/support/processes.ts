// Killing what runs a function.
import { type FunctionProcesses, processesOf } from '../../../scripts/cloud/processes.ts';
import { waitFor } from './wait.ts';

/** Kills every process of a function outright, as a crash of its machine would; throws where there is none. Resolves when they are gone. */
export async function killProcessesOf(which: FunctionProcesses): Promise<void> {
  const pids = await processesOf(which);
  if (pids.length === 0) throw new Error(`No process on this machine runs ${which.functionName}.`);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await waitFor(`the processes of ${which.functionName} to be gone`, async () => {
    const left = await processesOf(which);
    return !left.some((pid) => pids.includes(pid));
  });
}
