// Ports whose adapter is loaded, and its client made, at the first call: most requests and jobs pass no object and start no execution, and
// what they do without costs no start of a function.
import type { Objects } from '../../lib/core/objects.ts';
import type { Executions } from '../../lib/job/ports.ts';

export function lateObjects(open: () => Promise<Objects>): Objects {
  const objects = once(open);
  return {
    putOnce: async (...call) => (await objects()).putOnce(...call),
    moveFileOnce: async (...call) => (await objects()).moveFileOnce(...call),
    movePassingFile: async (...call) => (await objects()).movePassingFile(...call),
    presignGet: async (...call) => (await objects()).presignGet(...call),
    get: async (...call) => (await objects()).get(...call),
    read: async (...call) => (await objects()).read(...call),
    readInto: async (...call) => (await objects()).readInto(...call),
    download: async (...call) => (await objects()).download(...call),
    head: async (...call) => (await objects()).head(...call),
    copyOnce: async (...call) => (await objects()).copyOnce(...call),
    startMultipart: async (...call) => (await objects()).startMultipart(...call),
    presignParts: async (...call) => (await objects()).presignParts(...call),
    completeMultipart: async (...call) => (await objects()).completeMultipart(...call),
    list: async (...call) => (await objects()).list(...call),
    delete: async (...call) => (await objects()).delete(...call),
    listVersions: async (...call) => (await objects()).listVersions(...call),
    deleteVersions: async (...call) => (await objects()).deleteVersions(...call),
  };
}

export function lateExecutions(open: () => Promise<Executions>): Executions {
  const executions = once(open);
  return {
    start: async (...call) => (await executions()).start(...call),
    probe: async (...call) => (await executions()).probe(...call),
  };
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => (opened ??= open());
}
