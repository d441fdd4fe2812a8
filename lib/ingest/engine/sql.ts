// Writing SQL text: the only place where names and values become part of a statement.

/** A name as SQL, whatever characters it holds. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A text value as SQL. The parser takes NUL for the end of a statement, so that it has to be made by an expression. */
export const literal = (text: string): string =>
  text.includes('\0') ? `(${text.split('\0').map(quoted).join(' || chr(0) || ')})` : quoted(text);

/** A list of text values as SQL, e.g. `['a', 'b']`. */
export const listOf = (texts: readonly string[]): string => `[${texts.map(literal).join(', ')}]`;
