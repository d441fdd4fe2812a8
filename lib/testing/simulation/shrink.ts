// Makes a broken run small: fewer jobs, then fewer purposes for which anything is drawn, then fewer draws, as long as the same law is broken.
import { type SimulationOptions, type SimulationResult, simulate } from './simulate.ts';

export interface Shrunk {
  /** The small run, with its trace. */
  readonly result: SimulationResult;
  readonly jobs: number;
  /** Draws that are not calm, and how many the run had before. */
  readonly kept: number;
  readonly drawn: number;
  /** How many runs it took. */
  readonly tries: number;
}

interface Search {
  readonly options: SimulationOptions;
  readonly law: string;
  tries: number;
  readonly most: number;
  jobs: ReadonlySet<number>;
  kept: ReadonlySet<string>;
  /** The run that `jobs` and `kept` give. */
  result: SimulationResult;
}

/** What a run is about is drawn by these, and stays. */
const isSetting = (key: string): boolean => key.startsWith('run/');

const keysOf = ({ drawn }: SimulationResult): ReadonlySet<string> =>
  new Set(drawn.map(({ key }) => key).filter((key) => !isSetting(key)));

/** The small run of a broken one; undefined when it breaks no law. `most` runs are tried at most. */
export async function shrink(options: SimulationOptions, most = 800): Promise<Shrunk | undefined> {
  const result = await simulate({ ...options, keep: () => true });
  if (result.violation === undefined) return undefined;
  const kept = keysOf(result);
  const jobs = new Set(Array.from({ length: result.jobs }, (_, place) => place));
  const search: Search = { options, law: result.violation.law, tries: 0, most, jobs, kept, result };
  await fewerJobs(search);
  await fewerPurposes(search);
  await fewerDraws(search);
  const final = await run(search, search.jobs, search.kept, true);
  return { result: final, jobs: search.jobs.size, kept: keysOf(final).size, drawn: kept.size, tries: search.tries };
}

const run = (
  { options }: Search,
  jobs: ReadonlySet<number>,
  kept: ReadonlySet<string>,
  traced: boolean,
): Promise<SimulationResult> =>
  simulate({
    ...options,
    traced,
    jobs: (place) => jobs.has(place),
    keep: (key) => isSetting(key) || kept.has(key),
  });

/** Takes the smaller run if it breaks the same law. */
async function accept(search: Search, jobs: ReadonlySet<number>, kept: ReadonlySet<string>): Promise<boolean> {
  if (search.tries >= search.most) return false;
  search.tries += 1;
  const result = await run(search, jobs, kept, false);
  if (result.violation?.law !== search.law) return false;
  Object.assign(search, { result, jobs, kept: keysOf(result) });
  return true;
}

async function fewerJobs(search: Search): Promise<void> {
  for (const place of search.jobs) {
    const fewer = new Set([...search.jobs].filter((each) => each !== place));
    if (fewer.size > 0) await accept(search, fewer, search.kept);
  }
}

async function fewerPurposes(search: Search): Promise<void> {
  for (const purpose of new Set(search.result.drawn.map((drawn) => drawn.purpose))) {
    const others = search.result.drawn.filter((drawn) => drawn.purpose !== purpose);
    await accept(search, search.jobs, new Set(others.map(({ key }) => key)));
  }
}

/** Calms runs of draws, half of them at first and single ones at last. */
async function fewerDraws(search: Search): Promise<void> {
  for (let size = search.kept.size; size > 1; ) {
    size = Math.ceil(size / 2);
    await calmRuns(search, size);
  }
}

async function calmRuns(search: Search, size: number): Promise<void> {
  for (let start = 0; start < search.kept.size && search.tries < search.most; ) {
    const keys = [...search.kept];
    const fewer = new Set([...keys.slice(0, start), ...keys.slice(start + size)]);
    if (!(await accept(search, search.jobs, fewer))) start += size;
  }
}
