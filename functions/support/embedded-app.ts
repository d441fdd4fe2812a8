// The HTTP side of the embedded process: the same app as in the cloud, and the route that parts of an upload are sent to and results fetched from.
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { Fault } from '../../lib/core/fault.ts';
import { createApp } from '../../lib/http/app.ts';
import { idsOf } from '../../lib/http/ids.ts';
import { httpLimits } from '../../lib/http/limits.ts';
import { createLocalPlaces, type WatchParts } from '../../lib/http/places.ts';
import { problemResponse } from '../../lib/http/problem.ts';
import type { EmbeddedWorld } from './embedded-world.ts';

/** A waiter costs a process of its own next to nothing. */
const MOST_WAITERS = 1000;

export const PARTS_PATH = '/parts';

export function createEmbeddedApp({ engine, store, objects, queries, secret, workspaceBytes }: EmbeddedWorld): Hono {
  const app = new Hono();
  app.put(PARTS_PATH, async (context) => {
    const { upload = '', part = '', expires = '', signature = '' } = context.req.query();
    const { body } = context.req.raw;
    if (body === null) throw new Fault('MALFORMED_UPLOAD', 'The part is empty.');
    const stored = await objects.acceptPart({ upload, part, expires, signature }, Readable.fromWeb(body));
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
