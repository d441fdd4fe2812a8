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

/** The text with seconds. */
const whole = (v: string, { seconds }: StampStyle): string =>
  seconds === 'seconds' ? v : `(left(${v}, 16) || ':00' || substr(${v}, 17))`;

/** A timestamp as the style writes it, seconds and all, if its fraction has no trailing zero. `epoch_us`: an hour in UTC, without asking for zones. */
function printed(value: string, { separator, zone }: StampStyle): string {
  const print = `${zone === '' ? value : `make_timestamp(epoch_us(${value}))`}::VARCHAR`;
  const separated = separator === 'T' ? `replace(${print}, ' ', 'T')` : print;
  return zone === '' ? separated : `(${separated} || ${literal(zone)})`;
}

/** DuckDB also reads and prints other years, and `infinity`. */
const FOUR_DIGITS = `BETWEEN '0001-01-01' AND '9999-12-31 23:59:59.999999'`;

/** The print is compared first, since it is quicker than the pattern; the pattern allows trailing zeros of a fraction. */
export function stampRung(style: StampStyle): Rung {
  const { zone } = style;
  const type = zone === '' ? 'TIMESTAMP' : 'TIMESTAMP WITH TIME ZONE';
  const cast = (v: string): string => `TRY_CAST(${whole(v, style)} AS ${type})`;
  return {
    type,
    holds: (v, value) => `CASE WHEN ${value} ${FOUR_DIGITS} AND ${printed(value, style)} = ${whole(v, style)} THEN true
      ELSE regexp_full_match(${v}, ${literal(pattern(style))}) AND ${value} IS NOT NULL END`,
    // Without its zone the text would be cast by the calendar of the session's zone, which is slow, and fails on years that it does not know.
    value: (v) => (zone === '' ? cast(v) : `CASE WHEN ends_with(${v}, ${literal(zone)}) THEN ${cast(v)} END`),
  };
}

/** The style in which a text is written, if it is a timestamp in one of them. */
export const styleOf = (text: string): StampStyle | undefined =>
  stampStyles.find((style) => new RegExp(`^${pattern(style)}$`).test(text));
