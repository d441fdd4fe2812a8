// Days since an epoch, as spreadsheets count time. The count from 1900 has a 29 February that never was, for the sake of a program older than
// Excel: days from March 1900 on are one too high, and 60 is no day at all.
import type { Cell } from '../types.ts';
import { decimalOf } from './numbers.ts';
import type { NumberFormat } from './formats.ts';

export type DateSystem = 1900 | 1904;

const DAY_MS = 86_400_000;
const DAYS_1904 = 1462;
/** Of 30 December 1899, from which counts behind the missing day run straight. */
const EPOCH_MS = Date.UTC(1899, 11, 30);
const FICTITIOUS_DAY = 60;
/** 9999-12-31. */
const LAST_DAY = 2_958_465;
/** Fifteen digits of a day in our time are 5 µs apart; what is further from a millisecond was meant. */
const NOISE_MICROSECONDS = 6;

type Value = Pick<Cell, 'kind' | 'text'>;

interface Split {
  readonly day: number;
  /** Since midnight. */
  readonly microseconds: number;
}

/** To the millisecond where the double is that near to one, else to the microsecond. */
function split(serial: number): Split {
  const day = Math.floor(serial);
  const exact = (serial - day) * DAY_MS * 1000;
  const toMillisecond = Math.round(exact / 1000) * 1000;
  const near = Math.abs(exact - toMillisecond) <= NOISE_MICROSECONDS ? toMillisecond : Math.round(exact);
  return near >= DAY_MS * 1000 ? { day: day + 1, microseconds: 0 } : { day, microseconds: near };
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `hh:mm:ss`, with a fraction where there is one; hours beyond a day go on. */
function clock(microseconds: number, extraDays = 0): string {
  const seconds = Math.floor(microseconds / 1e6);
  const fraction = microseconds % 1e6;
  const hours = Math.floor(seconds / 3600) + 24 * extraDays;
  const text = `${two(hours)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return fraction === 0 ? text : `${text}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}

/** A day of the count from 1900, as a date; the one that never was as the program shows it. */
function dateText(day: number): string {
  if (day === FICTITIOUS_DAY) return '1900-02-29';
  const days = day < FICTITIOUS_DAY ? day + 1 : day;
  return new Date(EPOCH_MS + days * DAY_MS).toISOString().slice(0, 10);
}

function duration(serial: number): Value {
  const { day, microseconds } = split(Math.abs(serial));
  return { kind: 'duration', text: `${serial < 0 ? '-' : ''}${clock(microseconds, day)}` };
}

/**
 * What a number stands for under its format. A number that is no day of the calendar stays a number: a negative one, a 0 shown as a date, and
 * what lies behind the year 9999.
 */
export function serialValue(serial: number, { shows }: NumberFormat, system: DateSystem): Value {
  const number: Value = { kind: 'number', text: decimalOf(serial) };
  if (shows === 'number' || !Number.isFinite(serial)) return number;
  if (shows === 'duration') return duration(serial);
  if (serial < 0) return number;
  const { day, microseconds } = split(serial);
  if (day === 0 && shows !== 'date' && (system === 1900 || shows === 'time'))
    return { kind: 'time', text: clock(microseconds) };
  const counted = system === 1904 ? day + DAYS_1904 : day;
  if (counted < 1 || counted > LAST_DAY) return number;
  if (shows === 'date' && microseconds === 0) return { kind: 'date', text: dateText(counted) };
  return { kind: 'timestamp', text: `${dateText(counted)} ${clock(microseconds)}` };
}

const trimmed = (time: string): string => (time.includes('.') ? time.replace(/\.?0+$/, '') : time);
const isoDate = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?))?$/;
const isoTime = /^T?([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)$/;

/** A date that is written as ISO 8601; what is written otherwise, with a zone for one, stays as it is. `shows` says whether midnight is a time. */
export function isoValue(text: string, { shows }: Pick<NumberFormat, 'shows'>): Value {
  const [, day, time] = isoDate.exec(text) ?? [];
  const isDay = time === undefined || (shows === 'date' && /^00:00:00(\.0+)?$/.test(time));
  if (day !== undefined && isDay) return { kind: 'date', text: day };
  if (day !== undefined && time !== undefined) return { kind: 'timestamp', text: `${day} ${trimmed(time)}` };
  const alone = isoTime.exec(text)?.[1];
  return alone === undefined ? { kind: 'text', text } : { kind: 'time', text: trimmed(alone) };
}
