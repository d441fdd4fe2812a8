// What a detector of personal data is. Detectors look at one value at a time; `decide.ts` makes a column's tag of how many values they match.

export interface Detector {
  /** The tag of a column whose values it matches, e.g. `EMAIL` or `US_SSN`. */
  readonly tag: string;
  /**
   * What a match is worth. `form`: hardly anything else looks like it. `checked`: a check digit or a range holds, which happens by chance
   * too. `hinted`: it says nothing unless the name of the column says the same.
   */
  readonly evidence: 'form' | 'checked' | 'hinted';
  /** The share of unrelated values of the same form that match by chance. */
  readonly chance: number;
  /** Names of columns that hold it, as words in lower case without accents (see `hints.ts`). */
  readonly hints: readonly string[];
  /** How many digits it has, where always as many: a number loses its leading zeros. */
  readonly digits?: number;
  /** ISO code of the country that gives it. */
  readonly country?: string;
  /** Of a trimmed value as a whole; `hinted` where the name of its column is one of `hints`. */
  matches(value: string, hinted: boolean): boolean;
  /** Whether a longer text has it inside, where words cut at spaces would not show it. */
  within?(text: string): boolean;
}
