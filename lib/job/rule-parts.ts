// The words of the rule table: guards, effects and ways to recognise one's own work that several rules share. Guards are tested inside
// the write, never before it.
import type { Effect, Guard } from '../rule/rule.ts';
import type { JobStatus } from './status.ts';

// Guards
export const epochMine = ['epoch', '=', ':epoch'] as const satisfies Guard;
export const ownerMine = ['leaseOwner', '=', ':owner'] as const satisfies Guard;
export const free = ['cancelRequested', 'absent'] as const satisfies Guard;
export const cancelAsked = ['cancelRequested', 'exists'] as const satisfies Guard;
const byWorker = ['heldBy', '=', 'worker'] as const satisfies Guard;
export const byExecution = ['heldBy', '=', 'execution'] as const satisfies Guard;
const lapsed = ['leaseUntil', '<=', ':now'] as const satisfies Guard;
export const versionRead = ['version', '=', ':version'] as const satisfies Guard;
export const dueAtRead = ['dueAt', '=', ':dueAtRead'] as const satisfies Guard;
export const retriesLeft = ['attempts', '<', { attribute: 'maxRetries' }] as const satisfies Guard;
export const noRetriesLeft = ['attempts', '>=', { attribute: 'maxRetries' }] as const satisfies Guard;
export const revivalsLeft = ['crashes', '<', { attribute: 'maxRevivals' }] as const satisfies Guard;
export const noRevivalsLeft = ['crashes', '>=', { attribute: 'maxRevivals' }] as const satisfies Guard;
export const fence = [epochMine, ownerMine] as const;
export const startable = {
  anyOf: [[['notBefore', 'absent']], [['notBefore', '<=', ':now']]],
} as const satisfies Guard;
export const startByOpen = { anyOf: [[['startBy', 'absent']], [['startBy', '>', ':now']]] } as const satisfies Guard;
/** A claim of a row that has gates says that it passes them, in the transaction that tests them. */
export const gatesPassed = { unlessGiven: ':gates?', guard: ['gated', 'absent'] } as const satisfies Guard;
/** The index entry may stay where it is only if the sweep then looks no later than the lease ends. */
export const dueInTime = { unlessGiven: ':dueAt?', guard: ['dueAt', '<=', ':leaseUntil'] } as const satisfies Guard;
export const lapsedWorker = [byWorker, lapsed] as const;
/** A reap is blind: it knows no epoch that would tell a later run, so it names its time, which every reap after it must exceed. */
export const notReapedSince = {
  anyOf: [[['reapedAt', 'absent']], [['reapedAt', '<', ':now']]],
} as const satisfies Guard;
export const lapsedExecution = [byExecution, lapsed, epochMine, ownerMine] as const;
/**
 * Who may end a running job: its claimant, or whoever the platform told that this claimant is gone; the sweep after the lease of a
 * worker lapsed, at the epoch that it read; the sweep after a hand-off lapsed and a probe found no execution. A parameter left out rules
 * its way out.
 */
export const entitled = {
  anyOf: [
    [
      ['epoch', '=', ':epoch?'],
      ['leaseOwner', '=', ':owner?'],
    ],
    [byWorker, ['leaseUntil', '<=', ':lapsedBy?'], ['epoch', '=', ':goneEpoch?']],
    [
      byExecution,
      ['leaseUntil', '<=', ':lapsedBy?'],
      ['epoch', '=', ':goneEpoch?'],
      ['leaseOwner', '=', ':goneOwner?'],
    ],
  ],
} as const satisfies Guard;

// Effects
export const lease = [
  { set: 'leaseOwner', to: ':owner' },
  { set: 'leaseUntil', to: ':leaseUntil' },
] as const satisfies readonly Effect[];
export const dueIfGiven = { keepOrSet: 'dueAt', to: ':dueAt?' } as const satisfies Effect;
const letGo = [
  { remove: 'leaseOwner' },
  { remove: 'leaseUntil' },
  { remove: 'heldBy' },
] as const satisfies readonly Effect[];
export const returns = [...letGo, { set: 'dueAt', to: ':dueAt' }] as const satisfies readonly Effect[];
export const unparked = [
  { remove: 'parked' },
  { remove: 'parkedUntil' },
  { remove: 'awaits' },
] as const satisfies readonly Effect[];
/** `dueAt` stays only for a row that still owes a child. */
const ended = [
  { set: 'finishedAt', to: ':now' },
  { setOrRemove: 'expiresAt', to: ':expiresAt?' },
  { setOrRemove: 'owes', to: ':owes?' },
  { setOrRemove: 'dueAt', to: ':dueAt?' },
] as const satisfies readonly Effect[];
/** Of a job that runs. */
export const ends = [...letGo, ...ended] as const satisfies readonly Effect[];
/** Of a job that waits: it has no lease to let go of. */
export const endsWaiting = [...unparked, ...ended] as const satisfies readonly Effect[];
/** Of a job in whatever status. */
export const endsAnyhow = [...letGo, ...unparked, ...ended] as const satisfies readonly Effect[];
export const setError = { set: 'error', to: ':error' } as const satisfies Effect;
export const countAttempt = { add: 'attempts', by: 1 } as const satisfies Effect;
export const countCrash = { add: 'crashes', by: 1 } as const satisfies Effect;

// How a refused write recognises itself in the row that it finds
export const byWriteId = [['writeId', '=', ':writeId']] as const satisfies readonly Guard[];
export const settledAs = <S extends JobStatus>(status: S) => [epochMine, ['status', '=', status]] as const;
export const settledBySomeone = <S extends JobStatus>(status: S) =>
  [
    {
      anyOf: [
        [['writeId', '=', ':writeId']],
        [
          ['epoch', '=', ':epoch?'],
          ['status', '=', status],
        ],
      ],
    },
  ] as const;
