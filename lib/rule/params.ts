// The compiler reads the parameters of a rule out of its data, so that a heartbeat without an epoch does not compile.

/** Loose on purpose: measured against `Rule` itself, the recursion of its guards would never end. */
interface RuleData {
  readonly when: unknown;
  readonly then: unknown;
  readonly ownedBy: unknown;
}

type Mentioned<T> = T extends `:${infer Name}`
  ? Name
  : T extends readonly (infer Element)[]
    ? Mentioned<Element>
    : T extends object
      ? { [Key in keyof T]: Mentioned<T[Key]> }[keyof T]
      : never;

type Names<R extends RuleData> = Mentioned<R['when']> | Mentioned<R['then']> | Mentioned<R['ownedBy']>;
type Loud<R extends RuleData> = R extends { quiet: true } ? never : 'writeId';
type Optional<Name> = Name extends `${infer Bare}?` ? Bare : never;
type Required<Name> = Name extends `${string}?` ? never : Name;

/** The parameters of one rule, each with the type that `Types` gives its name. */
export type ParamsOf<R extends RuleData, Types extends object> = {
  readonly [Name in Extract<Required<Names<R>> | Loud<R>, keyof Types>]: Types[Name];
} & {
  readonly [Name in Extract<Optional<Names<R>>, keyof Types>]?: Types[Name] | undefined;
};
