import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { curlLines } from '../../../scripts/cloud/curl.ts';
import { run } from '../../../scripts/cloud/run.ts';
import { root } from '../../../scripts/cloud/settings.ts';

it('the curl lines reach their routes when a shell reads them, whatever stands in the URL', async () => {
  const seen: { line: string; key: string | undefined; bytes: number }[] = [];
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (piece: Buffer) => (bytes += piece.length));
    request.on('end', () => {
      seen.push({ line: `${request.method} ${request.url}`, key: request.headers.authorization, bytes });
      response.end('{"id":"ds_1"}');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const { port } = server.address() as AddressInfo;
    const lines = curlLines(`http://127.0.0.1:${port}/api/$default`, 'mr_key', "the reader's own");
    const { code, out } = await run('sh', ['-c', lines.join('\n')], {
      cwd: root,
      env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` },
    });
    expect({ code, out }).toEqual({ code: 0, out: 'ds_1\n{"id":"ds_1"}\n{"id":"ds_1"}\n' });
    expect(seen.map(({ line }) => line)).toEqual([
      'POST /api/$default/v1/datasets',
      'POST /api/$default/v1/datasets/ds_1/files?name=seattle-weather.csv',
      'POST /api/$default/v1/datasets/ds_1/query',
    ]);
    expect(new Set(seen.map(({ key }) => key))).toEqual(new Set(['Bearer mr_key']));
    expect(seen[1]?.bytes).toBeGreaterThan(10_000);
  } finally {
    server.close();
  }
});
