// What keys and limits may be, for kinds and submits alike.

/** Characters. */
export const LONGEST_KEY = 200;
export const MOST_AT_ONCE = 100_000;

export const isKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length >= 1 && key.length <= LONGEST_KEY && key.isWellFormed();

export const isLimit = (limit: unknown): limit is number =>
  typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= MOST_AT_ONCE;
