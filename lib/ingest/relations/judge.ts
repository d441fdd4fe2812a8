// What measures of a pair amount to: a confidence and the sentences that explain it. They hold numbers and names, never a value.
import type { Candidate, Cardinality, KeyColumn, Measured, NameMatch } from './types.ts';

/** From which confidence, and with which share of values found, a pair is proposed. */
export const PROPOSED_FROM = { confidence: 0.5, containment: 0.5 } as const;
/** The share of values found down to which a relation holds. */
export const HOLDS_FROM = 0.95;
/** Different values from which on chance is no explanation. */
const PLENTY = 50;

export interface Judged {
  /** From 0 to 1. */
  readonly confidence: number;
  /** The share of the different values of `from` that stand in `to`. */
  readonly containment: number;
  /** The share of the rows of `to` that have a value of their own, of those that have one. */
  readonly uniqueness: number;
  readonly cardinality: Cardinality;
  readonly explanation: string;
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

export const containmentOf = ({ looked, found }: Measured): number => share(found, looked);
export const uniquenessOf = ({ toRows, toNulls, toDistinct, mostTo }: Measured): number => {
  const estimate = Math.min(1, share(toDistinct, toRows - toNulls));
  // Estimates err by a few hundredths: where no value met twice, the key is taken as one.
  return mostTo <= 1 && estimate > 0.9 ? 1 : estimate;
};

export function cardinalityOf({ mostFrom, mostTo }: Measured): Cardinality {
  if (mostTo > 1) return 'many-to-many';
  return mostFrom > 1 ? 'many-to-one' : 'one-to-one';
}

/** Values found count most, then the names, then whether the key is one; few different values count for less. */
export function judge({ from, to, names }: Candidate, measured: Measured): Judged {
  const [containment, uniqueness] = [containmentOf(measured), uniquenessOf(measured)];
  const evidence = Math.min(1, 0.6 + (0.4 * Math.log(1 + measured.looked)) / Math.log(1 + PLENTY));
  const sum = 0.45 * containment + 0.35 * names.score + 0.2 * uniqueness;
  const held = containment < PROPOSED_FROM.containment ? Math.min(sum, 0.5 * containment) : sum;
  return {
    confidence: Math.round(held * evidence * 100) / 100,
    containment,
    uniqueness,
    cardinality: cardinalityOf(measured),
    explanation: explain(from, to, names, measured),
  };
}

const count = (number: number): string => number.toLocaleString('en');
const percent = (part: number): string => `${(Math.floor(part * 1000) / 10).toLocaleString('en')} %`;
const nameOf = ({ tableName, column }: Pick<KeyColumn, 'tableName' | 'column'>): string => `${tableName}.${column}`;

/** For a person who has to decide: what was found, what was looked at, and what speaks against it. */
export function explain(from: KeyColumn, to: KeyColumn, { why }: NameMatch, measured: Measured): string {
  const sentences = [found(from, to, measured), keySentence(to, measured), rowsSentence(from, to, measured)];
  sentences.push(`${why.slice(0, 1).toUpperCase()}${why.slice(1)}.`);
  if (measured.fromNulls > 0)
    sentences.push(
      `${count(measured.fromNulls)} of ${count(measured.fromRows)} rows of ${from.tableName} have no value there.`,
    );
  if (measured.looked > 0 && measured.looked < 10) sentences.push('So few different values may agree by chance.');
  return sentences.join(' ');
}

function found(from: KeyColumn, to: KeyColumn, measured: Measured): string {
  const { looked, sampled } = measured;
  if (looked === 0) return `${nameOf(from)} has no value that could be looked for.`;
  const part = containmentOf(measured);
  const often = part === 1 ? 'All' : part === 0 ? 'None' : percent(part);
  const values = looked === 1 ? 'value' : 'different values';
  const seen = `${often} of the ${count(looked)} ${values} of ${nameOf(from)}${sampled ? ' that were sampled' : ''}`;
  return `${seen} ${looked === 1 || part === 0 ? 'is' : 'are'} found in ${nameOf(to)}.`;
}

function keySentence(to: KeyColumn, measured: Measured): string {
  const uniqueness = uniquenessOf(measured);
  return uniqueness === 1
    ? `${nameOf(to)} tells its rows apart.`
    : `${nameOf(to)} has ${count(measured.toDistinct)} different values in ${count(measured.toRows - measured.toNulls)} rows.`;
}

function rowsSentence(from: KeyColumn, to: KeyColumn, measured: Measured): string {
  const says = {
    'one-to-one': `A row of ${from.tableName} goes with one of ${to.tableName}.`,
    'many-to-one': `Several rows of ${from.tableName} go with one of ${to.tableName}, at most ${count(measured.mostFrom)}.`,
    'many-to-many': `A value stands in up to ${count(measured.mostTo)} rows of ${to.tableName}.`,
  } as const;
  return says[cardinalityOf(measured)];
}
