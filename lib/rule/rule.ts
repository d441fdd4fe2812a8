// The language of transitions: guards and effects as data. A rule is read by `decide` in memory, rendered by a store into its own
// conditional write, and drawn in the docs. Nothing here knows what a job is.

/** `:name` is a parameter of the write, `:name?` one that may be left out; other strings and numbers stand for themselves. */
export type Operand = string | number | boolean | AttributeOperand;
/** The value of another attribute of the same row. */
export interface AttributeOperand {
  readonly attribute: string;
}

export type Comparison = '=' | '<' | '<=' | '>' | '>=';

/** Holds for a row, or not. A comparison with an attribute that is absent, or with a parameter that was left out, never holds. */
export type Guard =
  | readonly [attribute: string, comparison: Comparison, operand: Operand]
  | readonly [attribute: string, test: 'exists']
  | readonly [attribute: string, test: 'absent']
  | readonly [attribute: string, test: 'in', values: readonly string[]]
  /** At least one of these conjunctions holds. */
  | { readonly anyOf: readonly (readonly Guard[])[] }
  /** Tested only in a write that leaves the parameter out. */
  | { readonly unlessGiven: `:${string}?`; readonly guard: Guard };

export type Effect =
  | { readonly set: string; readonly to: Operand }
  /** Sets the attribute if the parameter is given, and leaves it alone otherwise. */
  | { readonly keepOrSet: string; readonly to: `:${string}?` }
  /** Sets the attribute if the parameter is given, and removes it otherwise. */
  | { readonly setOrRemove: string; readonly to: `:${string}?` }
  | { readonly remove: string }
  /** Adds to a number; an absent one counts as 0. */
  | { readonly add: string; readonly by: number | `:${string}` }
  /** Sets every attribute that the parameter, a record, has. */
  | { readonly assign: `:${string}` }
  /** Adds to every attribute that the parameter, a record of numbers, has; an absent one counts as 0. */
  | { readonly addEach: `:${string}` };

export interface Rule<Status extends string = string> {
  /** What it is for, one sentence for the docs. */
  readonly about: string;
  /** The statuses it leaves; empty for the rule that creates the row. */
  readonly from: readonly Status[];
  /** The status it enters; absent where the status stays. */
  readonly to?: Status;
  readonly when: readonly Guard[];
  readonly then: readonly Effect[];
  /** Raises no version and makes no event: it changes when somebody looks, not what the job is. */
  readonly quiet?: true;
  /** The row goes, whatever `then` says. Never for a job's row. */
  readonly deletes?: true;
  /** How a refused write knows that the row found is its own work: the guards hold for the row found. Empty: it never can. */
  readonly ownedBy: readonly Guard[];
}

/** One write of a rule: its name, the rule and the values of its parameters by name (without the colon). */
export interface RuleWrite {
  readonly name: string;
  readonly rule: Rule;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A stored row as the rules see it: attributes by name. */
export type Row = Readonly<Record<string, unknown>>;

/** The format of the rows that the rules know. One that a later release wrote in another is left alone, by every rule. */
export const ROW_FORMAT = 1;

/** Every guard of a rule, those on the status it leaves and on the row's format among them. */
export const guardsOf = (rule: Rule): readonly Guard[] =>
  rule.from.length === 0 ? rule.when : [['status', 'in', rule.from], ['v', '=', ROW_FORMAT], ...rule.when];

/** Every effect of a rule, those that all loud rules have in common among them. */
export function effectsOf(name: string, rule: Rule): readonly Effect[] {
  if (rule.quiet) return rule.then;
  const status: readonly Effect[] = rule.to === undefined ? [] : [{ set: 'status', to: rule.to }];
  return [
    ...status,
    { set: 'rule', to: name },
    { set: 'writeId', to: ':writeId' },
    { add: 'version', by: 1 },
    ...rule.then,
  ];
}

/** The name of the parameter that an operand stands for, if it stands for one. */
export const paramOf = (operand: Operand): string | undefined =>
  typeof operand === 'string' && operand.startsWith(':') ? operand.slice(1).replace(/\?$/, '') : undefined;
