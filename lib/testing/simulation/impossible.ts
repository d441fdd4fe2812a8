// The cells of the table rule × fault that cannot be hit, each with its reason. Hitting one is a failure of the simulation, or of this list.
import type { FaultName } from './coverage.ts';

export interface Cell {
  readonly rule: string;
  readonly fault: FaultName;
}

interface Impossible {
  readonly rules: readonly string[];
  readonly faults: readonly FaultName[];
  readonly reason: string;
}

const impossible: readonly Impossible[] = [];

/** Why a cell cannot be hit; undefined when it can. */
export const reasonFor = ({ rule, fault }: Cell): string | undefined =>
  impossible.find(({ rules, faults }) => rules.includes(rule) && faults.includes(fault))?.reason;
