// The cells of the table rule × fault that cannot be hit, each with its reason. Hitting one is a failure of the simulation, or of this list.
import type { FaultName } from './coverage.ts';

export interface Cell {
  readonly rule: string;
  readonly fault: FaultName;
}

interface Impossible {
  readonly rules: readonly string[] | 'side';
  readonly faults: readonly FaultName[];
  readonly reason: string;
}

const messages = ['lost message', 'doubled message', 'late message'] as const;
const records = ['late record', 'repeated record', 'batched record'] as const;

const impossible: readonly Impossible[] = [
  {
    rules: [
      'heartbeat',
      'begin',
      'checkpoint',
      'fail',
      'retry',
      'exhaust',
      'snooze',
      'unpark',
      'hold',
      'crash',
      'reap',
      'reap-execution',
      'bury',
      'cancelled',
      'watch',
      're-arm',
      're-arm-execution',
      'reclaim',
      'entomb',
      'pay',
      'discard',
    ],
    faults: ['conflict'],
    reason: 'it is written alone, never in a transaction that another one could meet',
  },
  {
    rules: [
      'heartbeat',
      'begin',
      'checkpoint',
      'succeed',
      'fail',
      'exhaust',
      'park',
      'hold',
      'bury',
      'request-cancel',
      'cancelled',
      'cancel',
      'drop',
      'watch',
      're-arm-execution',
      'reclaim',
      'entomb',
      'pay',
      'discard',
    ],
    faults: messages,
    reason: 'it leaves nothing that waits for a worker, so nobody rings for it',
  },
  {
    rules: ['heartbeat', 'hold', 'request-cancel', 'discard'],
    faults: ['stale index'],
    reason: 'it leaves the due index alone',
  },
  {
    rules: 'side',
    faults: [...messages, ...records],
    reason: 'nobody rings for a row beside the jobs, and the relay reads changes of jobs only',
  },
  {
    rules: 'side',
    faults: ['stale index'],
    reason: 'schedules are read late by the same reader as jobs; the rest is in no index',
  },
  {
    rules: 'side',
    faults: ['deploy'],
    reason: 'which release wrote a row is told by the job, and counted for the rule of the job',
  },
  {
    rules: [
      'side/look',
      'side/set-flow',
      'side/grant-step',
      'side/set-guard',
      'side/signal',
      'side/time-out',
      'side/arm-schedule',
      'side/create-schedule',
      'side/remove-schedule',
      'side/remove-empty',
      'side/add-counters',
    ],
    faults: ['conflict'],
    reason: 'it is written alone, never in a transaction that another one could meet',
  },
];

/** Rules of rows beside the jobs that no run comes to, and why: they are left out of the table. */
export const notSimulated: ReadonlyMap<string, string> = new Map([
  ['side/looked-to', 'only a key with more than 200 holders has a second page of them'],
  ['side/take-place', 'of the health of backlogs, which reads statistics and touches no job'],
  ['side/leave-place', 'of the health of backlogs, which reads statistics and touches no job'],
  ['side/change', 'of the health of backlogs, which reads statistics and touches no job'],
]);

/** Why a cell cannot be hit; undefined when it can. */
export const reasonFor = ({ rule, fault }: Cell): string | undefined =>
  impossible.find(({ rules, faults }) => isAbout(rules, rule) && faults.includes(fault))?.reason;

const isAbout = (rules: Impossible['rules'], rule: string): boolean =>
  rules === 'side' ? rule.startsWith('side/') : rules.includes(rule);
