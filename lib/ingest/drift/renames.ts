// Which of the removed columns came back under another name. A wrong guess would carry what people said of one column over to another, so
// only what leaves little doubt is decided here; the rest is put before a person, with the reasons.
import type { Column } from '../reading/types.ts';
import { nameLikeness, sameWords } from './name-likeness.ts';
import { typeChangeOf } from './type-change.ts';
import type { Overlap } from './value-overlap.ts';

export interface PlacedColumn extends Column {
  /** Where it stands among the columns of its table, from 0 to 1. */
  readonly place: number;
}

export interface Likeness {
  readonly from: string;
  readonly to: string;
  /** 0 to 1. */
  readonly score: number;
  /** In plain words, the strongest first. */
  readonly reasons: readonly string[];
}

export interface Renames {
  /** No doubt is left: the column has another name. */
  readonly renamed: readonly Likeness[];
  /** For people to decide; the best of a removed column first. */
  readonly candidates: readonly Likeness[];
}

/** From here on a rename is taken as one, where nothing else comes near. */
export const CERTAIN = 0.8;
/** From here on it is put before people. */
export const POSSIBLE = 0.5;
/** How far the next best must be behind. */
const AHEAD = 0.1;
const MOST_CANDIDATES = 5;

const WEIGHTS = { name: 0.3, type: 0.1, place: 0.1, values: 0.5 };

export function likenessOf(before: PlacedColumn, after: PlacedColumn, overlap: Overlap | undefined): Likeness {
  const name = nameLikeness(before.name, after.name);
  const type = typeLikeness(before.type, after.type);
  const place = Math.max(0, 1 - 4 * Math.abs(before.place - after.place));
  const values = overlap === undefined ? 0 : overlap.share * overlap.weight;
  const sum = WEIGHTS.name * name + WEIGHTS.type * type + WEIGHTS.place * place + WEIGHTS.values * values;
  const same = sameWords(before.name, after.name) && type > 0;
  const reasons = [
    ...(overlap === undefined ? [] : [`${percent(overlap.share)} of the values are the same`]),
    ...(same ? ['the names differ by case and punctuation only'] : [`the names are ${percent(name)} alike`]),
    typeReason(before.type, after.type),
    ...(place === 1 ? ['it stands in the same place'] : []),
  ];
  return { from: before.name, to: after.name, score: rounded(same ? Math.max(sum, CERTAIN) : sum), reasons };
}

const percent = (share: number): string => `${Math.floor(100 * share)} %`;
const rounded = (score: number): number => Math.round(score * 1000) / 1000;

function typeLikeness(from: string, to: string): number {
  if (from === to) return 1;
  return typeChangeOf(from, to) === 'incompatible' ? 0 : 0.5;
}

const typeReason = (from: string, to: string): string =>
  from === to ? `both are ${from}` : `the type goes from ${from} to ${to}`;

/** Each column is renamed at most once; who is certain takes its columns out of the candidates. */
export function chooseRenames(pairs: readonly Likeness[]): Renames {
  const ranked = pairs.toSorted((a, b) => b.score - a.score);
  const rivals = (one: Likeness): number =>
    Math.max(0, ...ranked.filter((other) => other !== one && touches(one, other)).map(({ score }) => score));
  const renamed = ranked.filter((one) => one.score >= CERTAIN && one.score - rivals(one) >= AHEAD);
  const open = ranked.filter((one) => one.score >= POSSIBLE && !renamed.some((taken) => touches(one, taken)));
  const ofColumn = new Map<string, number>();
  const candidates = open.filter(({ from }) => {
    const count = (ofColumn.get(from) ?? 0) + 1;
    ofColumn.set(from, count);
    return count <= MOST_CANDIDATES;
  });
  return { renamed, candidates };
}

const touches = (a: Likeness, b: Likeness): boolean => a.from === b.from || a.to === b.to;
