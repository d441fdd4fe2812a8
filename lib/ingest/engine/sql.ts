// Writing SQL text: the only place where names and values become part of a statement.

/** A name as SQL, whatever characters it holds. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text value as SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A list of text values as SQL, e.g. `['a', 'b']`. */
export const listOf = (texts: readonly string[]): string => `[${texts.map(literal).join(', ')}]`;
