declare const brand: unique symbol;

/** A primitive that only its own constructor may produce, so that an id is never taken for another one. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
