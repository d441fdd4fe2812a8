// What a run sends: a mutated file of the corpus with options, or a request to any route.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { routes } from '../../lib/http/routes.ts';
import type { Route } from '../../lib/http/route.ts';
import { readOptionsSchema } from '../../lib/ingest/options.ts';
import { root } from '../cloud/settings.ts';
import type { Dice } from './dice.ts';
import { drawerOf } from './draw.ts';
import { mutate } from './mutate.ts';

interface Seed {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The files of the corpus, in the order of their names. */
export function readSeeds(): readonly [Seed, ...Seed[]] {
  const folder = join(root, 'test/corpus/files');
  const areas = readdirSync(folder).toSorted();
  const seeds = areas.flatMap((area) =>
    readdirSync(join(folder, area))
      .toSorted()
      .map((name): Seed => ({ name, bytes: readFileSync(join(folder, area, name)) })),
  );
  const [first, ...others] = seeds;
  if (first === undefined) throw new Error('The corpus is empty.');
  return [first, ...others];
}

export interface Upload {
  readonly kind: 'upload';
  readonly name: string;
  readonly bytes: Buffer;
  readonly options: unknown;
  readonly how: readonly string[];
}

const drawOptions = drawerOf(readOptionsSchema);

export function drawUpload(dice: Dice, seeds: readonly [Seed, ...Seed[]]): Upload {
  const seed = dice.pick(seeds);
  const other = dice.pick(seeds);
  const { bytes, how } = mutate(dice, seed.bytes, other.bytes);
  const renamed = dice.once(12);
  const name = renamed ? `t${extname(other.name)}` : seed.name;
  const options = dice.once(3) ? drawOptions(dice) : undefined;
  return { kind: 'upload', name, bytes, options, how: [seed.name, ...how, ...(renamed ? [`named ${name}`] : [])] };
}

export interface Sent {
  readonly kind: 'request';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

const awkward: readonly [string, ...string[]] = [
  'x',
  '..',
  '%00',
  '%',
  '%zz',
  '-1',
  '__proto__',
  '%F0%9F%98%80',
  '*',
  'null',
];
const contentTypes: readonly [string, ...string[]] = [
  'application/json',
  'multipart/form-data; boundary=x',
  'text/csv',
  'application/octet-stream',
  'application/json; charset=utf-16',
];

interface Drawn {
  readonly route: Route;
  readonly query: ((dice: Dice) => unknown) | undefined;
  readonly body: ((dice: Dice) => unknown) | undefined;
}

const drawn: readonly Drawn[] = routes.map((route) => ({
  route,
  query: route.request.query && drawerOf(route.request.query),
  body: route.request.body && drawerOf(route.request.body),
}));

/** Waiting is drawn short: what waits is right to do so, and only costs time. */
function queryOf(dice: Dice, query: Drawn['query']): string {
  const values = Object.entries((query?.(dice) ?? {}) as Record<string, unknown>);
  const said = values.map(([name, value]) => [name, name.startsWith('wait') ? '0' : String(value)] as const);
  return said.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(said)).toString()}`;
}

function bodyOf(dice: Dice, { body, route }: Drawn, other: Buffer): Buffer | undefined {
  if (route.method === 'GET') return undefined;
  if (body === undefined || dice.once(10)) return other;
  const json = Buffer.from(JSON.stringify(body(dice) ?? null));
  return dice.once(4) ? mutate(dice, json, other).bytes : json;
}

/** `ids`: things that exist, to put into paths. */
export function drawRequest(dice: Dice, seeds: readonly [Seed, ...Seed[]], ids: readonly string[]): Sent {
  const one = dice.pick(drawn as readonly [Drawn, ...Drawn[]]);
  const part = (): string => (dice.once(5) ? dice.pick(awkward) : (dice.oneOf(ids) ?? 'x'));
  const path = `${one.route.path.replaceAll(/\{\w+\}/g, part)}${queryOf(dice, one.query)}`;
  const body = bodyOf(dice, one, dice.pick(seeds).bytes.subarray(0, 4096));
  const headers = {
    ...(body !== undefined && { 'content-type': dice.once(6) ? dice.pick(contentTypes) : 'application/json' }),
    ...(dice.once(10) && { 'idempotency-key': dice.pick(['a', 'b', 'x'.repeat(300)]) }),
    ...(dice.once(10) && { 'if-match': dice.pick(['*', '"x"', 'W/"1"']) }),
  };
  return { kind: 'request', method: dice.once(30) ? 'PATCH' : one.route.method, path, headers, body };
}

export type Input = Upload | Sent;

/** One run in so many is a request instead of a file. */
const REQUESTS = 2;

/** The input of a run, the same for the same dice; requests name what exists by then. */
export const inputOf = (dice: Dice, seeds: readonly [Seed, ...Seed[]], ids: readonly string[]): Input =>
  dice.once(REQUESTS) ? drawRequest(dice, seeds, ids) : drawUpload(dice, seeds);
