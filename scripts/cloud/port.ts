// Ports on this machine: whether one is free, and one that is.
import { createServer, type AddressInfo } from 'node:net';

const host = '127.0.0.1';

/** Opens and closes a listener on `port` (0: any); answers the port, or undefined when it is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.on('error', () => done(undefined));
    server.listen({ port, host, exclusive: true }, () => {
      const taken = (server.address() as AddressInfo).port;
      server.close(() => done(taken));
    });
  });
}

export async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === undefined) throw new Error(`No port is free on ${host}.`);
  return port;
}

/** Throws a sentence for the user when somebody else listens on `port`. */
export async function claimPort(port: number): Promise<void> {
  if ((await tryPort(port)) !== undefined) return;
  throw new Error(
    `Port ${port} is busy. Stop what listens there (npm run down, if it is ours), or choose another: ` +
      '--port N, or the variable MILLRACE_PORT.',
  );
}
