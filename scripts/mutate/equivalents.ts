// Mutants that behave like the table on every row that can exist, each with the reason why. A test that kills one of them refutes the list.

const ONLY_RUNNING =
  'only a running row has an owner, heldBy and a lease (the shape of a status, held by a law), and another guard of the rule tests one';
const BOTH_WAYS = 'both ways of the guard that follows name the status, so that a row of another one passes neither';
const FENCED_ALREADY = 'the way also tests the owner, which only a running row has';
const WORKER_ALREADY = 'a worker whose lease lapsed may be ended without any probe, by the way before it';
const OWES_ALREADY = 'only an ended row owes anything';

const whileRunning = [
  'heartbeat',
  'begin',
  'checkpoint',
  'succeed',
  'fail',
  'retry',
  'exhaust',
  'snooze',
  'crash',
  'reap',
  'reap-execution',
  'bury',
  'cancelled',
  'watch',
  're-arm-execution',
];
const claimed = 'status = running and epoch = :epoch and leaseOwner = :owner and cancelRequested absent';
const probed = 'heldBy = execution and leaseUntil ≤ :lapsedBy and epoch = :goneEpoch and leaseOwner = :goneOwner';

/** By name, in the words of the table. */
export const equivalents: ReadonlyMap<string, string> = new Map([
  ...whileRunning.map((rule) => [`${rule}: guard status in running`, ONLY_RUNNING] as const),
  ['park: guard status in queued, running', BOTH_WAYS],
  [`park: guard status = running of the branch ${claimed}`, FENCED_ALREADY],
  [`bury: guard heldBy = execution of the branch ${probed}`, WORKER_ALREADY],
  [`cancelled: guard heldBy = execution of the branch ${probed}`, WORKER_ALREADY],
  ['pay: guard status in succeeded, failed, cancelled, dead', OWES_ALREADY],
]);
