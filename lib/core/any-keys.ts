// Objects whose keys are names of users. The library of schemas leaves a key `__proto__` out without a word: it goes through the schema under
// another name.
import * as z from 'zod';

const PROTO = '__proto__';
/** No text of a user: half of a surrogate pair is in no name. */
const STAND_IN = '\ud800proto';

/** How a key is called by users. */
export const ownKey = (key: PropertyKey): PropertyKey => (key === STAND_IN ? PROTO : key);

const renamed = <Given extends object>(given: Given, from: string, to: string): Given =>
  Object.hasOwn(given, from)
    ? (Object.fromEntries(Object.entries(given).map(([key, value]) => [key === from ? to : key, value])) as Given)
    : given;

/** As `z.record`, with any key as one of its own. */
export const recordOf = <Value extends z.ZodType>(key: z.ZodString, value: Value) =>
  z.preprocess(
    (given) => (typeof given === 'object' && given !== null ? renamed(given, PROTO, STAND_IN) : given),
    z.record(key, value).overwrite((found) => renamed(found, STAND_IN, PROTO)),
  );
