// ISO 8601 timestamps. A column has one style (T or space, seconds or not, one spelling of UTC or no zone), so that what
// a timestamp does not store is the same for every value.
import { literal } from '../engine/sql.ts';
import type { Rung } from './rungs.ts';

export interface StampStyle {
  readonly separator: 'T' | ' ';
  readonly seconds: 'seconds' | 'minutes';
  /** The zone's spelling; empty for none. Other zones than UTC would be lost. */
  readonly zone: '' | 'Z' | '+00:00' | '+00';
}

export const stampStyles: readonly StampStyle[] = (['T', ' '] as const).flatMap((separator) =>
  (['seconds', 'minutes'] as const).flatMap((seconds) =>
    (['', 'Z', '+00:00', '+00'] as const).map((zone) => ({ separator, seconds, zone })),
  ),
);

/** Names a style. */
export const styleKey = ({ separator, seconds, zone }: StampStyle): string => `${separator} ${seconds} ${zone}`;

const YEAR = '(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})';
const HOUR = '([01][0-9]|2[0-3])';
/** Microseconds are kept; a seventh digit would not be. */
const SECONDS = ':[0-5][0-9](\\.[0-9]{1,6})?';

/** The cheap look that spares most texts the patterns. */
export const isStampLike = (v: string): string => `${v} LIKE '____-__-__ __:__%' OR ${v} LIKE '____-__-__T__:__%'`;
export const isZonedStamp = (v: string): string =>
  `((${isStampLike(v)}) AND regexp_full_match(${v}, '.{16}(:[0-9]{2}(\\.[0-9]+)?)? ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)'))`;

function pattern({ separator, seconds, zone }: StampStyle): string {
  return `${YEAR}-[0-9]{2}-[0-9]{2}${separator}${HOUR}:[0-5][0-9]${seconds === 'seconds' ? SECONDS : ''}${zone.replace('+', '\\+')}`;
}

/** The text as DuckDB would print the timestamp, if its fraction has no trailing zero. */
function printed(v: string, { separator, seconds, zone }: StampStyle): string {
  const bare = zone === '' ? v : `left(${v}, strlen(${v}) - ${zone.length})`;
  const spaced = separator === 'T' ? `replace(${bare}, 'T', ' ')` : bare;
  return seconds === 'seconds' ? spaced : `(${spaced} || ':00')`;
}

/** The print is compared first, since it is quicker than the pattern; the pattern allows trailing zeros of a fraction. */
export function stampRung(style: StampStyle): Rung {
  const { separator, seconds, zone } = style;
  const like = `____-__-__${separator}__:__${seconds === 'seconds' ? ':__%' : ''}${zone}`;
  const print = (v: string): string => (zone === '' ? printed(v, style) : `(${printed(v, style)} || '+00')`);
  const stamp = (v: string): string => `TRY_CAST(${printed(v, style)} AS TIMESTAMP)`;
  return {
    type: zone === '' ? 'TIMESTAMP' : 'TIMESTAMP WITH TIME ZONE',
    holds: (v, value) => `(${v} LIKE ${literal(like)} AND (${value}::VARCHAR = ${print(v)}
      OR (regexp_full_match(${v}, ${literal(pattern(style))}) AND ${value} IS NOT NULL)))`,
    value: (v) => (zone === '' ? stamp(v) : `timezone('UTC', ${stamp(v)})`),
  };
}

/** The style in which a text is written, if it is a timestamp in one of them. */
export const styleOf = (text: string): StampStyle | undefined =>
  stampStyles.find((style) => new RegExp(`^${pattern(style)}$`).test(text));
