// Objects whose keys are names of users. The library of schemas leaves a key `__proto__` out without a word: it goes through the schema under
// another name.
import * as z from 'zod';

const PROTO = '__proto__';
/** A name that whatever takes identifiers takes, and nobody else gives. */
const STAND_IN = '__proto__9f86d081884c7d659a2feaa0c55ad015';

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
