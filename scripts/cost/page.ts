// docs/cost.md, worked out from the counted paths and the price table.
import { type Count, counts, JOBS_A_RELAY } from './counts.ts';
import { prices, pricesAsOf } from './prices.ts';

const MILLION = 1e6;

/** What a function of Lambda is assumed to take an invocation. */
interface Run {
  readonly mb: number;
  readonly ms: number;
}
export const assumed = {
  submit: { mb: 256, ms: 30 },
  job: { mb: 512, ms: 200 },
  stage: { mb: 512, ms: 200 },
  /** A batch of the relay: this many changes. */
  relay: { mb: 256, ms: 100 },
  /** One of the two steps of an ingest of a small file, warm. */
  ingestStep: { mb: 2048, ms: 1000 },
  reaper: { mb: 512, ms: 500 },
  batch: 10,
} as const;

/** Messages of a batch, and jobs of an invocation that hears one. */
const BATCH = assumed.batch;

const sqsOperations = ['SendMessage', 'SendMessageBatch', 'ReceiveMessage', 'DeleteMessage', 'DeleteMessageBatch'];

const callsOf = (count: Count, operations: readonly string[]): number =>
  operations.reduce((sum, name) => sum + (count.calls[name] ?? 0), 0);

/** Dollars of a counted path, without any function's time. */
export function requestsCost(count: Count): number {
  return (
    count.writeUnits * prices.writeUnit +
    count.readUnits * prices.readUnit +
    callsOf(count, sqsOperations) * prices.sqsRequest +
    (callsOf(count, ['SendMessage']) + BATCH * callsOf(count, ['SendMessageBatch'])) * prices.sqsFairMessage +
    callsOf(count, ['PutObject']) * prices.s3Put +
    callsOf(count, ['GetObject']) * prices.s3Get
  );
}

const runCost = ({ mb, ms }: Run): number => prices.lambdaRequest + (mb / 1024) * (ms / 1000) * prices.lambdaGbSecond;

/** Dollars of the relay a simple job: its share of a batch's writes and of the invocation, and the announcement of its end. */
const relayCost = (): number => (requestsCost(counts.relay) + runCost(assumed.relay)) / JOBS_A_RELAY + prices.event;

const apiCost = prices.httpApiCall + runCost(assumed.submit);

export interface Total {
  readonly name: string;
  /** Dollars a million. */
  readonly dollars: number;
  readonly atMost?: number;
}

/** An ingest's stages share two steps. */
const INGEST_STEPS = 2;
/** What the relay has to do for an ingest and what follows it, in simple jobs: 20 changes against 3. */
const INGEST_ENDS = 20 / 3;

const minutesAMonth = 30 * 24 * 60;

/** What stands idle in a month: the sweep each minute, and event sources that poll their empty queues. */
function idleMonth(): number {
  const queues = 3;
  const pollsAMonth = (5 * 30 * 24 * 3600) / 20;
  const sweeps = minutesAMonth * (runCost({ ...assumed.reaper, ms: 200 }) + requestsCost(counts.sweep));
  // Each minute the depth of both lanes is asked for, and one row is read of what is behind.
  const health = minutesAMonth * (2 * prices.sqsRequest + prices.readUnit);
  // A metric costs where it has values: the age of the oldest due job has one a minute, the others only in trouble.
  const alarms = 6 * prices.alarmMonth + prices.metricMonth;
  return sweeps + health + queues * pollsAMonth * prices.sqsRequest + alarms;
}

export function totals(): readonly Total[] {
  const simple = apiCost + requestsCost(counts.simple) + runCost(assumed.job);
  const relay = relayCost();
  const batched = apiCost / 100 + requestsCost(counts.batch) / BATCH + runCost(assumed.job) / BATCH;
  const ingest = requestsCost(counts.ingest) + requestsCost(counts.afterIngest);
  const ingestRuns = 2 * runCost(assumed.job) + INGEST_STEPS * runCost(assumed.ingestStep);
  const transitions = (INGEST_STEPS + 2) * prices.stateTransition;
  const pipeline = apiCost + requestsCost(counts.pipeline) + runCost(assumed.job) + 6 * runCost(assumed.stage);
  return [
    { name: 'simple job, without projections', dollars: simple * MILLION, atMost: 8 },
    { name: 'simple job, events and statistics relayed', dollars: (simple + relay) * MILLION, atMost: 11 },
    { name: 'short jobs, submitted a hundred a call and run ten an invocation', dollars: batched * MILLION, atMost: 5 },
    { name: 'run of six stages, without transitions', dollars: pipeline * MILLION, atMost: 30 },
    {
      name: 'ingest of a small CSV, with its transitions, the merge of the index, and events and statistics relayed',
      dollars: (apiCost + ingest + ingestRuns + transitions + INGEST_ENDS * relay) * MILLION,
    },
  ];
}

const dollars = (value: number): string => `$${value.toFixed(2)}`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const about: Record<keyof typeof counts, string> = {
  simple: 'submit, claim, settle of a simple job',
  relay: `the relay of ${JOBS_A_RELAY} simple jobs in a batch of ${3 * JOBS_A_RELAY} changes, statistics and announcements among it`,
  heartbeat: 'a heartbeat',
  retry: 'a job that fails once: submit, claim, retry, claim, settle',
  arm: 'arming a job that is further out than a queue carries',
  slot: 'a job that counts against a limit: the slot taken with the claim, given back after the settle',
  dedup: 'a job with a dedup key',
  step: 'a job with one step',
  batch: 'ten jobs submitted in one call and run in one invocation',
  pipeline: 'a run of six stages, each in a step of its own',
  ingest: 'an ingest of a small CSV: its job, ten stages in two steps, and the publish',
  afterIngest: 'the job that follows an ingest and merges the index of the workspace',
  sweep: 'a sweep that finds nothing due',
};

const pathRows = () =>
  (Object.entries(counts) as [keyof typeof counts, Count][]).map(([name, count]) => [
    about[name],
    Object.entries(count.calls)
      .map(([operation, times]) => (times === 1 ? operation : `${times} ${operation}`))
      .join(', '),
    String(count.writeUnits),
    String(count.readUnits),
    dollars(requestsCost(count) * MILLION),
  ]);

const run = ({ mb, ms }: Run): string => `${mb} MB for ${ms} ms`;

export const renderCost = (): string => `# What it costs

Generated from \`scripts/cost\` by \`npm run docs\`: the counts are pinned by \`test/integration/cost.test.ts\`, which measures them anew on the local
cloud (\`ReturnConsumedCapacity: INDEXES\`; a transaction's units come doubled, as DynamoDB bills them). Prices are the list prices of us-east-1 as of
${pricesAsOf}, on demand, arm64, without any free tier.

## Paths

${table(['path', 'calls', 'write units', 'read units', 'requests a million'], pathRows())}

## Totals

${table(
  ['a million of', 'cost', 'aim'],
  totals().map(({ name, dollars: each, atMost }) => [
    name,
    dollars(each),
    atMost === undefined ? '' : `≤ ${dollars(atMost)}`,
  ]),
)}

A standard execution is billed ${dollars(prices.stateTransition * MILLION)} a million transitions; a pipeline makes one a step and two more (start and end), so a
run of six steps adds ${dollars(8 * prices.stateTransition * MILLION)}, and one whose stages share two steps ${dollars(4 * prices.stateTransition * MILLION)}: short stages should share.

Idle: ${dollars(idleMonth())} a month (aim ≤ $2.00): a sweep a minute, three event sources that poll empty queues, six alarms and a metric. A key of KMS would be
$1 more; none is used.

## Assumptions

- A submit takes ${run(assumed.submit)} (or twice the memory for half the time), a job ${run(assumed.job)}, a stage ${run(assumed.stage)},
  a step of an ingest ${run(assumed.ingestStep)}: a larger file takes as much longer as it is larger ([benchmarks](benchmarks.md)), and one more job, and a row and an object
  more, for each 64 MiB above the first.
- The relay reads ${3 * JOBS_A_RELAY} changes an invocation (${run(assumed.relay)}); under little load it reads fewer, and then costs little too. An announcement is a
  custom event of EventBridge, a million for ${dollars(prices.event * MILLION)}; dollars of the table above leave it out.
- A row is smaller than 1 KB, its input and result fit it. A larger one costs a unit more a write and KB.
- Logs, traces, storage and traffic come on top; logs are $0.50 a GB, and a job writes about 1 KB of them.
`;
