// What a function needs to load: its variables, and an endpoint that answers for the one object which the API reads when it starts.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ColdEnvironment extends AsyncDisposable {
  readonly variables: NodeJS.ProcessEnv;
}

const queue = 'http://127.0.0.1/000000000000/queue';

export async function coldEnvironment(): Promise<ColdEnvironment> {
  const server = createServer((_request, response) => response.end('0'.repeat(64)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    variables: {
      PATH: process.env['PATH'],
      ...{ AWS_ENDPOINT_URL: url, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
      ...{
        TABLE_NAME: 'table',
        BUCKET_NAME: 'bucket',
        STATE_MACHINES: '{}',
        KINDS: '[]',
        TENANT_CAP: '0',
        WORKSPACE_BYTES: '0',
      },
      QUEUES: JSON.stringify({ worker: { default: queue, due: queue } }),
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
