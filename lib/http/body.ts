// Reading a body: never more of it than the route takes, whatever Content-Length says.
import { Fault } from '../core/fault.ts';
import { JSON_DEPTH } from './limits.ts';

const mediaTypeOf = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isMultipart = (request: Request): boolean => mediaTypeOf(request) === 'multipart/form-data';
/** API Gateway hands such a body on as text, so that bytes which are no UTF-8 are lost on the way. */
export const isText = (request: Request): boolean => mediaTypeOf(request).startsWith('text/');

function refuseEncoded(request: Request): void {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', `The content encoding ${encoding.slice(0, 50)} is not taken here.`);
}

/** What is read on and thrown away of a body that is too long: a server that closes on a sender is not heard by it. */
const DISCARD = 32 * 1024 ** 2;

/** The body's bytes; throws what `tooLarge` makes where there are more than `limit`, and never keeps more than that. */
export async function readBytes(request: Request, limit: number, tooLarge: () => Fault): Promise<Uint8Array> {
  refuseEncoded(request);
  if (Number(request.headers.get('content-length') ?? 0) > limit + DISCARD) throw tooLarge();
  const body: AsyncIterable<Uint8Array> | null = request.body;
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit + DISCARD) throw tooLarge();
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit) throw tooLarge();
  return Buffer.concat(chunks);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Iterative, since what it guards against is recursion. */
function isDeeperThan(depth: number, json: unknown): boolean {
  let level: readonly unknown[] = [json];
  for (let depthNow = 0; level.length > 0; depthNow++) {
    if (depthNow > depth) return true;
    level = level.flatMap((value) => (isObject(value) ? Object.values(value) : []));
  }
  return false;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // V8 quotes the text around the mistake, which is the caller's own.
    throw new Fault('MALFORMED_JSON', error instanceof SyntaxError ? error.message : 'The body is not UTF-8.');
  }
}

/** A JSON body of at most `limit` bytes; undefined when there is none. */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const type = mediaTypeOf(request);
  const bytes = await readBytes(
    request,
    limit,
    () => new Fault('BODY_TOO_LARGE', `A JSON body may have at most ${limit} bytes.`, { extra: { limit } }),
  );
  if (bytes.length === 0) return undefined;
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type))
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'This route takes application/json.');
  const json = parseJson(bytes);
  if (isDeeperThan(JSON_DEPTH, json))
    throw new Fault('MALFORMED_JSON', `The JSON is nested deeper than ${JSON_DEPTH} levels.`);
  return json;
}
