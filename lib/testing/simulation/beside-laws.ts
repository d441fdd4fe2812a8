// The laws of what stands beside the jobs: places under a key, flows, guards, dedup keys and schedules, judged at each write of a job.
import type { JobRow } from '../../job/row.ts';
import type { SideRef } from '../../job/side/side.ts';
import { isTerminal } from '../../job/status.ts';
import type { MemoryChange, SideChange } from '../memory/state.ts';

interface Flow {
  state: string;
  /** Claims that the present pause let through, and may. */
  through: number;
  granted: number;
}

export interface BesideLaws {
  side(change: SideChange): void;
  judge(change: MemoryChange, rows: () => readonly JobRow[]): void;
  /** Judges what may not hold before the transaction of a write is whole. */
  judgeWhole(change: MemoryChange, rows: readonly JobRow[]): void;
  /** What the side rows of places must say when a run is over. */
  judgeEnd(): void;
}

/** How late a start may be without holding up the next, ms. */
const LATE_START = 5000;

type Break = (law: string, detail?: string) => void;

/** `tenantCap`: how many jobs of one tenant may run at once, where that is limited. */
export function createBesideLaws(broke: Break, tenantCap?: number): BesideLaws {
  const flows = new Map<string, Flow>();
  const guards = new Map<string, string>();
  const places = new Map<string, { held: number; holders: number }>();
  const occasions = new Set<string>();
  const book = { flows, guards, places, schedules: new Set<string>(), starts: new Map<string, number[]>(), broke };
  return {
    side: (change) => note(book, change),
    judge: (change, rows) => {
      const { after, write } = change;
      if (write.name === 'claim') {
        judgeClaim(book, after, rows, broke);
        judgeRate(book, after, Number(write.params['now']));
        if (tenantCap !== undefined) judgeCap(after, rows(), tenantCap, broke);
      }
      if (
        write.name === 'submit' &&
        after.correlationId.startsWith('schedule/') &&
        !after.correlationId.endsWith('/by-hand') &&
        after.tenant === ('acme' as unknown)
      ) {
        if (occasions.has(after.correlationId)) broke('a time of a schedule was started twice', after.correlationId);
        occasions.add(after.correlationId);
      }
    },
    judgeWhole: ({ after, write }, rows) => {
      if (write.name === 'submit' || write.name === 'redrive') judgeDedup(after, rows, broke);
    },
    judgeEnd: () => {
      for (const [key, { held, holders }] of places)
        if (held !== holders) broke('a counter differs from its holders', `${key}: ${held} and ${holders}`);
    },
  };
}

interface Book {
  readonly flows: Map<string, Flow>;
  readonly guards: Map<string, string>;
  readonly places: Map<string, { held: number; holders: number }>;
  readonly schedules: Set<string>;
  /** When jobs under each rate's key were started, by the clocks of those who claimed them, in the order in which that was written. */
  readonly starts: Map<string, number[]>;
  readonly broke: Break;
}

function note(book: Book, { side, before, after, write }: SideChange): void {
  if (write.name === 'create-schedule') {
    const made = `${side.name}/${String(after?.['createdAt'])}`;
    if (book.schedules.has(made)) book.broke('a schedule was made twice', made);
    book.schedules.add(made);
  }
  if (side.family === 'flow') noteFlow(book, side, write.name, after);
  if (side.family === 'guard') book.guards.set(side.name, String(after?.['value']));
  if (side.family !== 'slot' || write.name === 'look' || write.name === 'looked-to') return;
  const place = book.places.get(side.group) ?? { held: 0, holders: 0 };
  book.places.set(side.group, place);
  if (side.name === 'count') place.held = Number(after?.['held'] ?? 0);
  else place.holders += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
}

function noteFlow({ flows }: Book, { name }: SideRef, rule: string, after: SideChange['after']): void {
  const flow = flows.get(name) ?? { state: 'active', through: 0, granted: 0 };
  flows.set(name, flow);
  if (rule === 'set-flow') Object.assign(flow, { state: String(after?.['state']), through: 0, granted: 0 });
  if (rule === 'grant-step') flow.granted += 1;
}

function judgeClaim({ flows, guards }: Book, job: JobRow, rows: () => readonly JobRow[], broke: Break): void {
  const flow = job.flow === undefined ? undefined : flows.get(job.flow);
  if (flow?.state === 'disabled') broke('a job of a disabled flow was claimed', job.id);
  if (flow?.state === 'paused') {
    flow.through += 1;
    if (flow.through > flow.granted) broke('a job of a paused flow was claimed without a step', job.id);
  }
  const guard = job.guardKey === undefined ? undefined : guards.get(job.guardKey);
  if (guard !== undefined && guard !== job.guardValue) broke('a job was claimed whose guard had moved on', job.id);
  for (const { key, limit } of job.slots ?? []) {
    const running = rows().filter((row) => row.status === 'running' && row.slots?.some((slot) => slot.key === key));
    if (running.length > limit) broke('more jobs run than a key has places', `${key}: ${running.length} of ${limit}`);
  }
}

/** In no time of w seconds more starts than the burst and what comes in w + 5 seconds; docs/protocol.md says why 5. */
function judgeRate({ starts, broke }: Book, { id, rate }: JobRow, now: number): void {
  if (rate === undefined) return;
  const times = starts.get(rate.key) ?? [];
  starts.set(rate.key, times);
  times.push(now);
  times.forEach((first, place) => {
    const most = rate.burst + ((now - first + LATE_START) * rate.perMinute) / 60_000;
    if (times.length - place > most) broke('more jobs started than a rate allows', `${rate.key}, ${id}`);
  });
}

/** The engine's own jobs run beside the cap. */
function judgeCap({ tenant, internal }: JobRow, rows: readonly JobRow[], cap: number, broke: Break): void {
  if (internal === true) return;
  const running = rows.filter((row) => row.tenant === tenant && row.status === 'running' && row.internal !== true);
  if (running.length > cap) broke('more jobs of a tenant run than its cap', `${running.length} of ${cap}`);
}

function judgeDedup({ dedupKey, id }: JobRow, rows: readonly JobRow[], broke: Break): void {
  if (dedupKey === undefined) return;
  const living = rows.filter((row) => row.dedupKey === dedupKey && !isTerminal(row.status));
  if (living.length > 1) broke('two jobs of one dedup key live', id);
}
