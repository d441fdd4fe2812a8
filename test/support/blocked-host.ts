// An embedded service in a process of its own, whose kind `blocks` never returns to the event loop: prints its URL and a key as JSON, and
// runs until it is killed.
import * as z from 'zod';
import { startEmbedded } from '../../functions/embedded.ts';
import { silentLog } from '../../lib/core/log.ts';
import { defineJob } from '../../lib/pipeline/own-kinds.ts';
import { freePort } from '../../scripts/cloud/port.ts';
import { shortLeases } from './short-leases.ts';

const [directory = ''] = process.argv.slice(2);
const blocks = defineJob({
  kind: 'blocks',
  input: z.unknown(),
  run: async () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
});
const settings = shortLeases;
const server = await startEmbedded({ directory, port: await freePort(), log: silentLog, settings, kinds: [blocks] });
process.on('SIGTERM', () => void server.stop());
console.log(JSON.stringify({ url: server.url, apiKey: await server.makeKey('blocked', 'main', 'test') }));
