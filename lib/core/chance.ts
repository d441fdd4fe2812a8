// Chance is an argument, so that a simulation can replay a run from its seed.

export interface Chance {
  /** A number in [0, 1). */
  next(): number;
}

/** Chance for production: unpredictable, so that owner tokens and keys cannot be guessed. */
export const systemChance: Chance = {
  next: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
};

/** A reproducible sequence (mulberry32, Tommy Ettinger, public domain). For tests and simulation only. */
export function seededChance(seed: number): Chance {
  let state = seed >>> 0;
  return {
    next: () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
