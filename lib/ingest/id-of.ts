// An id of a prefix, as schemas of what is stored want it.
import * as z from 'zod';
import { type IdPrefix, isId, type newId } from '../core/ids.ts';

export const idOf = <P extends IdPrefix>(prefix: P) =>
  z.custom<ReturnType<typeof newId<P>>>((value) => typeof value === 'string' && isId(prefix, value), {
    error: `an id that starts with ${prefix}_ is expected`,
  });
