// What a job must pass before it runs, as its kind, its submit and the deployment ask for it.
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Scope } from '../../core/ids.ts';
import { isKey, isLimit, LONGEST_KEY, MOST_AT_ONCE } from '../gates/gate-limits.ts';
import type { AnyKind } from '../registry.ts';
import type { JobRow, Rate, Slot } from '../row.ts';
import type { EngineSettings } from '../settings.ts';
import { TENANT_KEY } from '../gates/slots.ts';

/** What a submit may ask for. Keys are of 1 to 200 characters, limits and rates whole numbers from 1 to 100,000. */
export interface GateOptions {
  /** Jobs that share it are paused, stepped and disabled together. */
  readonly flow?: string | undefined;
  /** The job is dropped if the guard stands at another value when it would start. */
  readonly guard?: { readonly key: string; readonly value: string } | undefined;
  /** At most `limit` jobs with this key run at once, by the limit of each job that starts. */
  readonly concurrencyKey?: Slot | undefined;
  /** At most `perMinute` jobs with this key start a minute, up to `burst` (1 by default) of them together. */
  readonly rate?: RateOption | undefined;
}
export interface RateOption {
  readonly key: string;
  readonly perMinute: number;
  readonly burst?: number | undefined;
}

interface NewJob extends GateOptions {
  readonly scope: Scope;
  readonly input: unknown;
}
type GateFields = Pick<JobRow, 'flow' | 'gated' | 'slots' | 'rate' | 'guardKey' | 'guardValue'>;

/** The row's gates; nothing for a job that has none. Throws Fault VALIDATION_FAILED. */
export function gatesOf(settings: EngineSettings, kind: AnyKind, job: NewJob): GateFields {
  check(job);
  const slots = slotsOf(settings, kind, job);
  const rate = rateOf(kind, job);
  const fields = {
    ...(job.flow !== undefined && { flow: job.flow }),
    ...(job.guard !== undefined && { guardKey: job.guard.key, guardValue: job.guard.value }),
    ...(slots.length > 0 && { slots }),
    ...(rate !== undefined && { rate }),
  };
  return Object.keys(fields).length === 0 ? {} : { ...fields, gated: true };
}

/** One place a key: where two ask for the same, the smaller limit holds. */
function slotsOf({ tenantCap }: EngineSettings, kind: AnyKind, job: NewJob): Slot[] {
  const { concurrency, internal } = kind;
  const cap = internal === true ? undefined : tenantCap;
  const asked = [
    ...(concurrency === undefined ? [] : [{ key: keyOf(kind, 'concurrency', job), limit: concurrency.limit }]),
    ...(job.concurrencyKey === undefined ? [] : [job.concurrencyKey]),
    ...(cap === undefined ? [] : [{ key: `${TENANT_KEY}${String(job.scope.tenant)}`, limit: cap }]),
  ];
  const keys = [...new Set(asked.map(({ key }) => key))];
  return keys.map((key) => ({
    key,
    limit: Math.min(...asked.filter((slot) => slot.key === key).map(({ limit }) => limit)),
  }));
}

function rateOf(kind: AnyKind, job: NewJob): Rate | undefined {
  if (kind.rate !== undefined && job.rate !== undefined)
    refuse('rate', `The kind "${kind.kind}" has a rate of its own.`);
  const asked = kind.rate === undefined ? job.rate : { ...kind.rate, key: keyOf(kind, 'rate', job) };
  return asked && { key: asked.key, perMinute: asked.perMinute, burst: asked.burst ?? 1 };
}

/** The kind itself, or what its function makes of the input. */
function keyOf(kind: AnyKind, which: 'concurrency' | 'rate', { input }: NewJob): string {
  const options = kind[which];
  if (options?.key === undefined) return kind.kind;
  const key = attempt(kind, which, () => options.key?.(kind.input.parse(input)));
  if (isKey(key) && !key.startsWith(TENANT_KEY)) return key;
  throw new Fault('VALIDATION_FAILED', `The kind "${kind.kind}" makes no ${which} key of this input.`);
}

function attempt<T>(kind: AnyKind, which: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const detail = `The kind "${kind.kind}" makes no ${which} key of this input: ${asError(thrown).message}`;
    throw new Fault('VALIDATION_FAILED', detail);
  }
}

function check({ flow, guard, concurrencyKey, rate }: GateOptions): void {
  if (flow !== undefined) checkKey('flow', flow);
  if (guard !== undefined) checkKey('guard/key', guard.key);
  if (guard !== undefined) checkKey('guard/value', guard.value);
  if (concurrencyKey !== undefined) {
    checkKey('concurrencyKey/key', concurrencyKey.key);
    checkLimit('concurrencyKey/limit', concurrencyKey.limit);
  }
  if (rate === undefined) return;
  checkKey('rate/key', rate.key);
  checkLimit('rate/perMinute', rate.perMinute);
  checkLimit('rate/burst', rate.burst ?? 1);
}

function checkKey(field: string, key: unknown): void {
  if (!isKey(key)) refuse(field, `It is a text of 1 to ${LONGEST_KEY} characters.`);
  if (field === 'concurrencyKey/key' && key.startsWith(TENANT_KEY))
    refuse(field, `"${TENANT_KEY}…" is the engine's own.`);
}

function checkLimit(field: string, limit: unknown): void {
  if (!isLimit(limit)) refuse(field, `It is a whole number from 1 to ${MOST_AT_ONCE}.`);
}

function refuse(field: string, detail: string): never {
  throw new Fault('VALIDATION_FAILED', 'A limit of the job is not right.', {
    errors: [{ pointer: `#/${field}`, detail }],
  });
}
