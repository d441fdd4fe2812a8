// The parts of a DynamoDB expression: placeholders for names and values, each used once, and the joining of clauses.

export interface Placeholders {
  /** `#n` for an attribute. */
  name(attribute: string): string;
  /** `:v` for a value. */
  value(value: unknown): string;
  /** What the request carries beside its expressions. */
  bound(): {
    readonly ExpressionAttributeNames?: Record<string, string>;
    readonly ExpressionAttributeValues?: Record<string, unknown>;
  };
}

export function createPlaceholders(): Placeholders {
  const names = new Map<string, string>();
  const values: unknown[] = [];
  return {
    name: (attribute) => {
      const known = names.get(attribute) ?? `#n${names.size}`;
      names.set(attribute, known);
      return known;
    },
    value: (value) => `:v${values.push(value) - 1}`,
    bound: () => ({
      ...(names.size > 0 && {
        ExpressionAttributeNames: Object.fromEntries([...names].map(([attribute, name]) => [name, attribute])),
      }),
      ...(values.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(values.map((value, index) => [`:v${index}`, value])),
      }),
    }),
  };
}
