// Names of common table expressions, as they become visible on the way down a statement.

/** A linked list from the innermost name outwards; names are lower-cased as DuckDB compares them. */
export interface Scope {
  readonly name: string;
  readonly outer: Scope | undefined;
}

/** DuckDB folds the case of ASCII letters only; folding more could make two different names equal. */
export const fold = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

export const within = (scope: Scope | undefined, name: string): Scope => ({ name: fold(name), outer: scope });

export function isVisible(scope: Scope | undefined, name: string): boolean {
  const wanted = fold(name);
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === wanted) return true;
  return false;
}
