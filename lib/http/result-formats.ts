// Which format the rows of a query are wanted in: `format` in the body, else the best of Accept, else JSON.
import type { ResultFormat } from '../query/types.ts';

export const mediaTypes: Readonly<Record<ResultFormat, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
};

export const resultFormats = Object.keys(mediaTypes) as [ResultFormat, ...ResultFormat[]];

const bare = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

const formatOfType: ReadonlyMap<string, ResultFormat> = new Map([
  ...resultFormats.map((format): [string, ResultFormat] => [bare(mediaTypes[format]), format]),
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
]);

/** A type that is not one of ours is passed over, since most callers send what their library sends. */
export function acceptedFormat(accept: string | null): ResultFormat {
  const asked = (accept ?? '').split(',').map((part) => {
    const weight = /;\s*q=([\d.]+)/i.exec(part)?.[1];
    return { type: bare(part), weight: weight === undefined ? 1 : Number(weight) };
  });
  const best = asked
    .filter(({ type, weight }) => weight > 0 && (formatOfType.has(type) || type === '*/*' || type === 'application/*'))
    .toSorted((one, other) => other.weight - one.weight)[0];
  return formatOfType.get(best?.type ?? '') ?? 'json';
}
