// How detectors of national ids are made: a form, a check, and the names that columns of it have.
import { bare } from '../checks.ts';
import type { Detector } from '../detector.ts';

export interface NationalId {
  readonly tag: string;
  readonly country: string;
  /** Of the value as it is written; anchored. */
  readonly form: RegExp;
  /** Of the value in capitals, without separators. */
  readonly check: (id: string) => boolean;
  readonly chance: number;
  readonly hints: readonly string[];
  readonly evidence?: Detector['evidence'];
  readonly digits?: number;
  /** A form that says enough only in a column named so, e.g. nine digits without a check. */
  readonly hintedForm?: RegExp;
}

export const nationalId = ({ form, check, hintedForm, evidence = 'checked', ...rest }: NationalId): Detector => ({
  ...rest,
  evidence,
  matches: (value, hinted) =>
    (form.test(value) || (hinted && hintedForm?.test(value) === true)) && check(bare(value.toUpperCase())),
});
