// What one value shows to detectors. It is taken apart once, not once for each of them.
import type { Detector } from './detector.ts';
import { hintsAt, type Named, namedBy } from './hints.ts';
import { leavesOf } from './leaves.ts';

/** Longer texts are looked into word by word. */
const LONGEST_VALUE = 48;
/** Leading zeros that a number may have lost. */
const MOST_LOST_ZEROS = 2;
/** Values whose keys are looked at. */
const KEYS_OF = 100;

export interface ShownValue {
  /** `hinted`: the name of the column says what the detector finds. */
  readonly shows: (detector: Detector, hinted: boolean) => boolean;
  /** Of nested values: the keys in it. */
  readonly keys: readonly Named[];
}

const isNested = (type: string): boolean => /^(STRUCT|MAP|UNION|JSON|VARIANT)|\]$/.test(type);
export const isNumber = (type: string): boolean =>
  /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL|DOUBLE|FLOAT)/.test(type);

/** A number as people would write an id: whole, without a point. */
export function plainNumber(text: string): string {
  const whole = text.replace(/\.0*$/, '');
  if (!/^-?\d+(?:\.\d+)?e\+?\d+$/i.test(whole)) return whole;
  const number = Number(whole);
  return Number.isSafeInteger(number) ? String(number) : whole;
}

/** Words of a text in which something personal could stand. */
const wordsWithin = (text: string): string[] =>
  text.split(/[\s,;:()<>[\]{}"'|=]+/).filter((word) => word.length > 6 && /\d/.test(word));

/** Whether the detector says yes to a value, or to something inside it where its form is telling enough. */
export const detects = (detector: Detector, value: string, hinted: boolean): boolean =>
  textValue(value).shows(detector, hinted);

function textValue(value: string): ShownValue {
  const text = value.trim();
  let words: string[] | undefined;
  return {
    keys: [],
    shows: (detector, hinted) => {
      if (text.length <= LONGEST_VALUE && detector.matches(text, hinted)) return true;
      if (detector.within) return detector.within(text);
      if (detector.evidence !== 'form') return false;
      words ??= wordsWithin(text);
      return words.some((word) => detector.matches(word, hinted));
    },
  };
}

const nothing: ShownValue = { keys: [], shows: () => false };

function numberValue(value: string): ShownValue {
  const text = plainNumber(value);
  if (!/^\d+$/.test(text)) return nothing;
  return {
    keys: [],
    shows: (detector, hinted) => {
      const lost = (detector.digits ?? text.length) - text.length;
      return detector.matches(
        lost > 0 && lost <= MOST_LOST_ZEROS ? text.padStart(text.length + lost, '0') : text,
        hinted,
      );
    },
  };
}

/** How values of a type are taken apart; `table` tells what a plain `name` in them is of. */
export function readerOf(type: string, table: string): (value: string) => ShownValue {
  if (isNumber(type)) return numberValue;
  if (!isNested(type)) return textValue;
  const named = new Map<string, Named>();
  const namedAs = (key: string): Named => {
    const known = named.get(key) ?? namedBy(key, table);
    named.set(key, known);
    return known;
  };
  return (value) => {
    const leaves = leavesOf(value).map(({ key, text }) => ({ named: namedAs(key), shown: textValue(text) }));
    return {
      keys: leaves.map((leaf) => leaf.named),
      shows: (detector, hinted) =>
        leaves.some((leaf) => leaf.shown.shows(detector, hinted || hintsAt(detector, leaf.named))),
    };
  };
}

/** The keys that the first values have. */
export const keysOf = (values: readonly ShownValue[]): Named[] => [
  ...new Set(values.slice(0, KEYS_OF).flatMap(({ keys }) => keys)),
];
