// Stands between the functions and the emulator and counts their calls of AWS by operation.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const quietMs = 2000;

export interface CountingProxy extends AsyncDisposable {
  /** The endpoint to give to the functions. */
  readonly url: string;
  /** Calls by operation since the last time that this was asked. */
  takeCounts(): ReadonlyMap<string, number>;
  /** Resolves once no call has come for two seconds: what follows a settle, such as the relay, is then done. */
  settle(): Promise<void>;
}

export async function startCountingProxy(targetPort: number): Promise<CountingProxy> {
  let counts = new Map<string, number>();
  let lastCall = performance.now();
  const server = createServer((incoming, outgoing) => {
    const operation = operationOf(incoming);
    lastCall = performance.now();
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    forward(incoming, outgoing, targetPort);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    takeCounts: () => {
      const taken = counts;
      counts = new Map();
      return taken;
    },
    settle: async () => {
      while (performance.now() - lastCall < quietMs) await pause(100);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** `DynamoDB_20120810.PutItem` → `PutItem`; services without a target header by their method, e.g. `S3 GET`. */
function operationOf({ headers, method = '' }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  return typeof target === 'string' ? (target.split('.').at(-1) ?? target) : `S3 ${method}`;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url: path, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}
