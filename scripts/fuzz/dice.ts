// Chance as a fuzzer wants it: small choices, each replayed by seed and run.
import { seededChance } from '../../lib/core/chance.ts';

export interface Dice {
  /** A whole number from 0 to `sides` - 1. */
  below(sides: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** One of a list that may be empty. */
  oneOf<T>(from: readonly T[]): T | undefined;
  /** True once in `sides`. */
  once(sides: number): boolean;
}

export function diceOf(seed: number, run: number): Dice {
  const chance = seededChance(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b));
  const below = (sides: number): number => Math.floor(chance.next() * sides);
  return {
    below,
    pick: (from) => from[below(from.length)] ?? from[0],
    oneOf: (from) => from[below(from.length)],
    once: (sides) => below(sides) === 0,
  };
}
