/** The same text for the same JSON object or list, whatever the order of its members: they are sorted by name, at every level. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (isRecord(member) ? sorted(member) : member));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without a prototype, so that a member called `__proto__` is one like the others. */
function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(record).sort()) copy[name] = record[name];
  return copy;
}
