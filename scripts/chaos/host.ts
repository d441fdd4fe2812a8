// The embedded service as a process of its own, for chaos to kill: says where it listens and its key as one line of JSON.
import { startEmbedded } from '../../functions/embedded.ts';
import { silentLog } from '../../lib/core/log.ts';

const [directory = '', port = ''] = process.argv.slice(2);
const service = await startEmbedded({ directory, port: Number(port), log: silentLog });
console.log(JSON.stringify({ url: service.url, apiKey: await service.makeKey('default', 'default', 'chaos') }));
