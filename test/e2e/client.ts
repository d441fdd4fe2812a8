// A caller of the API that knows HTTP only.
import type { Target } from './target.ts';

/** JSON as it comes: tests look into it as they please. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export interface Sent {
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The target's own when absent; none when empty. */
  readonly key?: string;
}

const JOB_SECONDS = 100;

const bodyOf = ({ json, body }: Sent) => (json === undefined ? body : JSON.stringify(json));

export function createClient({ url, apiKey }: Pick<Target, 'url' | 'apiKey'>) {
  const send = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const headers = new Headers(sent.headers);
    const { key = apiKey } = sent;
    if (key !== '') headers.set('authorization', `Bearer ${key}`);
    if (sent.json !== undefined) headers.set('content-type', 'application/json');
    const body = bodyOf(sent);
    const response = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    };
  };
  const get = (path: string, sent?: Sent) => send('GET', path, sent);
  const post = (path: string, sent?: Sent) => send('POST', path, sent);

  /** Asks again until `done`; the job's own limits end it, and the test's time-out otherwise. */
  const until = async (path: string, done: (body: Json) => boolean): Promise<Json> => {
    for (let tries = 0; tries < JOB_SECONDS * 4; tries++) {
      const { body } = await get(path);
      if (done(body)) return body;
      await new Promise((next) => setTimeout(next, 250));
    }
    throw new Error(`${path} did not come to what was waited for in ${JOB_SECONDS} s.`);
  };
  const isOver = (job: Json): boolean => ['succeeded', 'failed', 'cancelled', 'dead'].includes(job.status);
  const ended = (job: string): Promise<Json> => until(`/v1/jobs/${job}`, isOver);

  return {
    send,
    get,
    post,
    until,
    ended,
    /** A new dataset's id. */
    newDataset: async (name: string): Promise<string> => (await post('/v1/datasets', { json: { name } })).body.id,
    /** Uploads bytes directly and answers the job once it has ended. */
    ingest: async (dataset: string, name: string, body: Uint8Array | string): Promise<Json> => {
      const path = `/v1/datasets/${dataset}/files?name=${encodeURIComponent(name)}`;
      const headers = { 'content-type': 'application/octet-stream', prefer: 'wait=20' };
      const answer = await post(path, { body: body as Uint8Array<ArrayBuffer>, headers });
      return answer.status === 202 ? ended(answer.body.id) : answer.body;
    },
    query: (dataset: string, sql: string, limit?: number) =>
      post(`/v1/datasets/${dataset}/query`, { json: { sql, ...(limit !== undefined && { limit }) } }),
    /** Sends a file in presigned parts and answers the completed upload's job and how to complete it again. */
    sendParts: async (dataset: string, name: string, bytes: Buffer, partSize?: number) => {
      const json = { name, size: bytes.length, ...(partSize !== undefined && { partSize }) };
      const { body: upload } = await post(`/v1/datasets/${dataset}/uploads`, { json });
      const parts: { number: number; etag: string | null }[] = [];
      for (const { number, url: to } of upload.parts as { number: number; url: string }[]) {
        const part = bytes.subarray((number - 1) * upload.partSize, number * upload.partSize);
        const response = await fetch(to, { method: 'PUT', body: new Uint8Array(part) });
        await response.arrayBuffer();
        parts.push({ number, etag: response.headers.get('etag') });
      }
      const complete = (of: object[] = parts) => post(upload.completeRoute, { json: { parts: of } });
      return { upload, parts, complete };
    },
  };
}
export type Client = ReturnType<typeof createClient>;

/** Status and code of a problem in one glance. */
export const outcome = ({ status, body }: Answer): string =>
  status < 400 ? String(status) : `${status} ${body?.code}`;
