// What Node's own server would answer before the app is asked.
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../../../functions/embedded.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { freePort } from '../../../scripts/cloud/port.ts';

let directory: string;
let server: Embedded;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millrace-requests-'));
  server = await startEmbedded({ directory, port: await freePort(), log: silentLog });
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The answer as it comes. */
const answerTo = (path: string, header: string): Promise<string> =>
  new Promise((done, fail) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString()));
    socket.on('error', fail);
    socket.on('close', () => done(answer));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\nConnection: close\r\n\r\n`);
  });

it('an expectation that nobody knows is passed over', async () => {
  const header = 'Expect: 100-something';
  expect(await answerTo('/v1/health', header)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  const problem = await answerTo('/v1/nothing', header);
  expect(problem).toMatch(/^HTTP\/1\.1 404 /);
  expect(problem).toContain('"code":"ROUTE_NOT_FOUND"');
});
