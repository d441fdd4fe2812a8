// The HTTP side of the embedded process: the same app as in the cloud, and the route that parts of an upload are sent to and results fetched from.
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { must } from '../../lib/core/check.ts';
import { Fault } from '../../lib/core/fault.ts';
import { createApp } from '../../lib/http/app.ts';
import { idsOf } from '../../lib/http/ids.ts';
import { httpLimits } from '../../lib/http/limits.ts';
import { createLocalPlaces, type WatchParts } from '../../lib/http/places.ts';
import { problemResponse } from '../../lib/http/problem.ts';
import { release } from '../../lib/store/into-file.ts';
import type { PartBody } from '../../lib/store/part-files.ts';
import type { EmbeddedWorld } from './embedded-world.ts';

/** A waiter costs a process of its own next to nothing. */
const MOST_WAITERS = 1000;

export const PARTS_PATH = '/parts';

type Bindings = Partial<HttpBindings>;

/** Its bytes as they come in, where they do: a web stream in between takes as long again, and once looked at it keeps the first of them. */
function partOf({ env: { incoming }, req }: Context<{ Bindings: Bindings }>): PartBody {
  const size = Number(req.header('content-length') ?? Number.NaN);
  const isEmpty = incoming === undefined ? req.raw.body === null : size === 0;
  if (isEmpty) throw new Fault('MALFORMED_UPLOAD', 'The part is empty.');
  if (incoming === undefined) return { body: Readable.fromWeb(must(req.raw.body ?? undefined, 'a body')) };
  return { body: incoming, used: release, ...(Number.isSafeInteger(size) && { size }) };
}

export function createEmbeddedApp({ engine, store, objects, queries, secret, workspaceBytes }: EmbeddedWorld) {
  const app = new Hono<{ Bindings: Bindings }>();
  app.put(PARTS_PATH, async (context) => {
    const { upload = '', part = '', expires = '', signature = '' } = context.req.query();
    const stored = await objects.acceptPart({ upload, part, expires, signature }, partOf(context));
    return context.body(null, 200, { etag: stored.etag });
  });
  app.get(PARTS_PATH, async (context) => {
    const { key = '', name = '', type = '', expires = '', signature = '' } = context.req.query();
    const file = await objects.openLink({ key, name, type, expires, signature });
    const headers = { 'content-type': file.type, 'content-disposition': `attachment; filename="${file.name}"` };
    // The library types web streams and Node's as if they were of two makes.
    const body = Readable.toWeb(file.body) as unknown as ReadableStream;
    return context.body(body, 200, { ...headers, 'x-content-type-options': 'nosniff' });
  });
  app.onError((thrown, context) =>
    problemResponse(thrown, { ids: idsOf(context.req.raw.headers, engine), path: context.req.path, log: engine.log }),
  );
  const openApiDocument = () => readFile(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  const changed: NonNullable<WatchParts['changed']> = (ref, signal) => store.changed(ref, signal);
  const deps = {
    ...engine,
    catalog: store,
    documents: store,
    keys: store,
    ...queries,
    watch: { places: createLocalPlaces(MOST_WAITERS), changed },
    cursorSecret: async () => secret,
    limits: { ...httpLimits, workspaceBytes },
    openApiDocument,
  };
  const api = createApp(deps);
  app.all('*', (context) => api.fetch(context.req.raw));
  return app;
}
