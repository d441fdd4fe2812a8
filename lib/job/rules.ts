// The rule table: the only place that knows a transition of a job. Guards are tested inside the write, never before it.
// Laws that every rule keeps: a claimant's write carries the fence; the sweep's writes test the lapse; each write names the state
// that it was decided on, so no late copy of it applies twice; while running, `dueAt` is never later than `leaseUntil`.
import type { Effect, Guard, Rule } from '../rule/rule.ts';
import type { JobStatus } from './status.ts';

// Guards
const epochMine = ['epoch', '=', ':epoch'] as const satisfies Guard;
const ownerMine = ['leaseOwner', '=', ':owner'] as const satisfies Guard;
const free = ['cancelRequested', 'absent'] as const satisfies Guard;
const cancelAsked = ['cancelRequested', 'exists'] as const satisfies Guard;
const byWorker = ['heldBy', '=', 'worker'] as const satisfies Guard;
const byExecution = ['heldBy', '=', 'execution'] as const satisfies Guard;
const lapsed = ['leaseUntil', '<=', ':now'] as const satisfies Guard;
const versionRead = ['version', '=', ':version'] as const satisfies Guard;
const dueAtRead = ['dueAt', '=', ':dueAtRead'] as const satisfies Guard;
const retriesLeft = ['attempts', '<', { attribute: 'maxRetries' }] as const satisfies Guard;
const noRetriesLeft = ['attempts', '>=', { attribute: 'maxRetries' }] as const satisfies Guard;
const revivalsLeft = ['crashes', '<', { attribute: 'maxRevivals' }] as const satisfies Guard;
const noRevivalsLeft = ['crashes', '>=', { attribute: 'maxRevivals' }] as const satisfies Guard;
const fence = [epochMine, ownerMine] as const;
const notStartable = { anyOf: [[['notBefore', 'absent']], [['notBefore', '<=', ':now']]] } as const satisfies Guard;
const startByOpen = { anyOf: [[['startBy', 'absent']], [['startBy', '>', ':now']]] } as const satisfies Guard;
/** The index entry may stay where it is only if the sweep then looks no later than the lease ends. */
const dueInTime = { unlessGiven: ':dueAt?', guard: ['dueAt', '<=', ':leaseUntil'] } as const satisfies Guard;
const lapsedWorker = [byWorker, lapsed] as const;
const lapsedExecution = [byExecution, lapsed, epochMine, ownerMine] as const;
/**
 * Who may end a running job: its claimant, or whoever the platform told that this claimant is gone; the sweep after the lease of a
 * worker lapsed; the sweep after a hand-off lapsed and a probe found no execution. A parameter left out rules its way out.
 */
const entitled = {
  anyOf: [
    [
      ['epoch', '=', ':epoch?'],
      ['leaseOwner', '=', ':owner?'],
    ],
    [byWorker, ['leaseUntil', '<=', ':lapsedBy?']],
    [
      byExecution,
      ['leaseUntil', '<=', ':lapsedBy?'],
      ['epoch', '=', ':goneEpoch?'],
      ['leaseOwner', '=', ':goneOwner?'],
    ],
  ],
} as const satisfies Guard;

// Effects
const lease = [
  { set: 'leaseOwner', to: ':owner' },
  { set: 'leaseUntil', to: ':leaseUntil' },
] as const satisfies readonly Effect[];
const dueIfGiven = { keepOrSet: 'dueAt', to: ':dueAt?' } as const satisfies Effect;
const letGo = [
  { remove: 'leaseOwner' },
  { remove: 'leaseUntil' },
  { remove: 'heldBy' },
] as const satisfies readonly Effect[];
const returns = [...letGo, { set: 'dueAt', to: ':dueAt' }] as const satisfies readonly Effect[];
/** `dueAt` stays only for a row that still owes a child. */
const ends = [
  ...letGo,
  { remove: 'parked' },
  { set: 'finishedAt', to: ':now' },
  { setOrRemove: 'expiresAt', to: ':expiresAt?' },
  { setOrRemove: 'owes', to: ':owes?' },
  { setOrRemove: 'dueAt', to: ':dueAt?' },
] as const satisfies readonly Effect[];
const setError = { set: 'error', to: ':error' } as const satisfies Effect;
const countAttempt = { add: 'attempts', by: 1 } as const satisfies Effect;
const countCrash = { add: 'crashes', by: 1 } as const satisfies Effect;

// How a refused write recognises itself in the row that it finds
const byWriteId = [['writeId', '=', ':writeId']] as const satisfies readonly Guard[];
const settledAs = <S extends JobStatus>(status: S) => [epochMine, ['status', '=', status]] as const;
const settledBySomeone = <S extends JobStatus>(status: S) =>
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

export const jobRules = {
  submit: {
    about: 'Creates the job, or replaces one that has expired or was purged.',
    from: [],
    to: 'queued',
    when: [
      {
        anyOf: [
          [['id', 'absent']],
          [
            ['expiresAt', '<=', ':nowSeconds'],
            ['epoch', '<', ':epoch'],
          ],
          [
            ['tombstone', 'exists'],
            ['epoch', '<', ':epoch'],
          ],
        ],
      },
    ],
    then: [
      { set: 'epoch', to: ':epoch' },
      { set: 'submitId', to: ':submitId' },
      { set: 'dueAt', to: ':dueAt' },
    ],
    ownedBy: [['submitId', '=', ':submitId']],
  },
  claim: {
    about: 'One worker takes the job; the epoch fences whoever had it before.',
    from: ['queued'],
    to: 'running',
    when: [epochMine, notStartable, startByOpen, dueInTime],
    then: [
      ...lease,
      { add: 'epoch', by: 1 },
      { set: 'heldBy', to: ':heldBy' },
      { set: 'startedAt', to: ':now' },
      dueIfGiven,
      { remove: 'notBefore' },
      { remove: 'rearms' },
    ],
    ownedBy: [ownerMine],
  },
  heartbeat: {
    about: 'The claimant is alive; the lease only moves forward.',
    from: ['running'],
    when: [...fence, ['leaseUntil', '<', ':leaseUntil']],
    then: [
      { set: 'leaseUntil', to: ':leaseUntil' },
      { keepOrSet: 'progress', to: ':progress?' },
    ],
    quiet: true,
    ownedBy: [...fence, ['leaseUntil', '>=', ':leaseUntil']],
  },
  begin: {
    about: 'A stage takes the lease from the execution.',
    from: ['running'],
    when: [epochMine, byExecution, ['cursorNo', '=', ':previousNo'], dueInTime],
    then: [...lease, { set: 'heldBy', to: 'worker' }, dueIfGiven],
    ownedBy: [ownerMine],
  },
  checkpoint: {
    about: 'A stage or a cursor is committed; the lease is renewed, or handed to the execution.',
    from: ['running'],
    when: [...fence, ['cursorNo', '=', ':previousNo'], dueInTime],
    then: [
      { set: 'cursorNo', to: ':cursorNo' },
      { keepOrSet: 'stage', to: ':stage?' },
      { keepOrSet: 'stageOutput', to: ':stageOutput?' },
      { setOrRemove: 'cursor', to: ':cursor?' },
      { set: 'heldBy', to: ':heldBy' },
      { set: 'leaseUntil', to: ':leaseUntil' },
      { keepOrSet: 'progress', to: ':progress?' },
      dueIfGiven,
    ],
    ownedBy: [epochMine, ['cursorNo', '>=', ':cursorNo']],
  },
  succeed: {
    about: 'The result counts.',
    from: ['running'],
    to: 'succeeded',
    when: fence,
    then: [
      ...ends,
      { setOrRemove: 'result', to: ':result?' },
      { setOrRemove: 'warnings', to: ':warnings?' },
      { keepOrSet: 'stage', to: ':stage?' },
      { remove: 'error' },
    ],
    ownedBy: settledAs('succeeded'),
  },
  fail: {
    about: 'It will never work.',
    from: ['running'],
    to: 'failed',
    when: fence,
    then: [...ends, setError],
    ownedBy: settledAs('failed'),
  },
  retry: {
    about: 'The handler failed and has attempts left.',
    from: ['running'],
    to: 'queued',
    when: [...fence, free, retriesLeft],
    then: [...returns, countAttempt, setError, { set: 'notBefore', to: ':notBefore' }],
    ownedBy: byWriteId,
  },
  exhaust: {
    about: 'The handler failed once too often.',
    from: ['running'],
    to: 'dead',
    when: [...fence, noRetriesLeft],
    then: [...ends, countAttempt, setError],
    ownedBy: settledAs('dead'),
  },
  snooze: {
    about: 'The handler, or the machine, asks for a later start; it costs no attempt (also continue, with its cursor).',
    from: ['running'],
    to: 'queued',
    when: [...fence, free],
    then: [
      ...returns,
      { set: 'notBefore', to: ':notBefore' },
      { keepOrSet: 'cursor', to: ':cursor?' },
      { keepOrSet: 'cursorNo', to: ':cursorNo?' },
    ],
    ownedBy: byWriteId,
  },
  park: {
    about: 'It waits for something named; no worker is held meanwhile.',
    from: ['queued', 'running'],
    to: 'parked',
    when: [
      {
        anyOf: [
          [['status', '=', 'running'], ['epoch', '=', ':epoch?'], ['leaseOwner', '=', ':owner?'], free],
          [
            ['status', '=', 'queued'],
            ['version', '=', ':version?'],
          ],
        ],
      },
    ],
    then: [...returns, { set: 'parked', to: ':parked' }],
    ownedBy: byWriteId,
  },
  unpark: {
    about: 'What the job waited for is there.',
    from: ['parked'],
    to: 'queued',
    when: [versionRead],
    then: [{ remove: 'parked' }, { remove: 'rearms' }, { set: 'dueAt', to: ':dueAt' }],
    ownedBy: byWriteId,
  },
  crash: {
    about: 'The platform told us, before the lapse, that the worker is gone.',
    from: ['running'],
    to: 'queued',
    when: [epochMine, ownerMine, free, revivalsLeft],
    then: [...returns, countCrash],
    ownedBy: byWriteId,
  },
  reap: {
    about: 'The worker stopped renewing its lease.',
    from: ['running'],
    to: 'queued',
    when: [...lapsedWorker, free, revivalsLeft],
    then: [...returns, countCrash],
    ownedBy: byWriteId,
  },
  'reap-execution': {
    about: 'The hand-off lapsed and a probe said that the execution does not run.',
    from: ['running'],
    to: 'queued',
    when: [...lapsedExecution, free, revivalsLeft],
    then: [...returns, countCrash],
    ownedBy: byWriteId,
  },
  bury: {
    about: 'No crashes left: a job that kills its worker cannot loop for ever.',
    from: ['running'],
    to: 'dead',
    when: [entitled, free, noRevivalsLeft],
    then: [...ends, countCrash, setError],
    ownedBy: settledBySomeone('dead'),
  },
  'request-cancel': {
    about: 'The next heartbeat delivers it as an AbortSignal.',
    from: ['running'],
    when: [versionRead, free],
    then: [{ set: 'cancelRequested', to: ':cancelReason' }],
    ownedBy: byWriteId,
  },
  cancelled: {
    about: 'A running job whose cancel was asked ends: by its claimant, or for it once it is gone.',
    from: ['running'],
    to: 'cancelled',
    when: [cancelAsked, entitled],
    then: [...ends, setError],
    ownedBy: settledBySomeone('cancelled'),
  },
  cancel: {
    about: 'A job that does not run is cancelled at once.',
    from: ['queued', 'parked'],
    to: 'cancelled',
    when: [versionRead],
    then: [...ends, setError],
    ownedBy: byWriteId,
  },
  drop: {
    about: 'Its guard moved on, its `startBy` passed, or its flow is disabled.',
    from: ['queued', 'parked'],
    to: 'cancelled',
    when: [versionRead],
    then: [...ends, setError],
    ownedBy: byWriteId,
  },
  watch: {
    about: 'The sweep came too early: look again when the lease ends.',
    from: ['running'],
    when: [
      ['leaseUntil', '>', ':now'],
      ['dueAt', '<=', ':now'],
    ],
    then: [{ set: 'dueAt', to: { attribute: 'leaseUntil' } }],
    quiet: true,
    ownedBy: [['dueAt', '=', { attribute: 'leaseUntil' }]],
  },
  're-arm': {
    about: 'The sweep rings again, and looks again later.',
    from: ['queued', 'parked'],
    when: [dueAtRead],
    then: [
      { set: 'dueAt', to: ':dueAt' },
      { add: 'rearms', by: 1 },
    ],
    quiet: true,
    ownedBy: [['dueAt', '=', ':dueAt']],
  },
  're-arm-execution': {
    about: 'A probe said that the execution of a lapsed hand-off still runs.',
    from: ['running'],
    when: [...lapsedExecution, dueAtRead],
    then: [
      { set: 'leaseUntil', to: ':leaseUntil' },
      { set: 'dueAt', to: ':leaseUntil' },
    ],
    quiet: true,
    ownedBy: [epochMine, ['leaseUntil', '=', ':leaseUntil']],
  },
  reclaim: {
    about: 'An operator takes a running job away; the reap follows, and no heartbeat can undo it.',
    from: ['running'],
    when: [versionRead],
    then: [
      { remove: 'leaseOwner' },
      { set: 'heldBy', to: 'worker' },
      { set: 'leaseUntil', to: 0 },
      { set: 'dueAt', to: ':now' },
    ],
    ownedBy: byWriteId,
  },
  entomb: {
    about: 'The tenant is gone.',
    from: ['queued', 'parked', 'running'],
    to: 'dead',
    when: [versionRead],
    then: [...ends, setError],
    ownedBy: byWriteId,
  },
  pay: {
    about: 'The child that a settled job owed exists.',
    from: ['succeeded', 'failed', 'cancelled', 'dead'],
    when: [versionRead, ['owes', 'exists']],
    then: [{ remove: 'owes' }, { remove: 'dueAt' }],
    ownedBy: byWriteId,
  },
  redrive: {
    about: 'An operator gives a finished job another life.',
    from: ['failed', 'dead', 'cancelled'],
    to: 'queued',
    when: [versionRead, ['owes', 'absent']],
    then: [
      { add: 'epoch', by: 1 },
      { add: 'redrives', by: 1 },
      { set: 'attempts', to: 0 },
      { set: 'crashes', to: 0 },
      { setOrRemove: 'stage', to: ':stage?' },
      { setOrRemove: 'stageOutput', to: ':stageOutput?' },
      { keepOrSet: 'input', to: ':input?' },
      { remove: 'expiresAt' },
      { remove: 'finishedAt' },
      { remove: 'error' },
      { remove: 'cancelRequested' },
      { remove: 'notBefore' },
      { remove: 'startBy' },
      { remove: 'cursor' },
      { remove: 'progress' },
      { remove: 'rearms' },
      { set: 'dueAt', to: ':dueAt' },
    ],
    ownedBy: byWriteId,
  },
} as const satisfies Record<string, Rule<JobStatus>>;

export type JobRules = typeof jobRules;
export type JobRuleName = keyof JobRules;
