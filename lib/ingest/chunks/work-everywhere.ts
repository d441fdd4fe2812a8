// What is done to all chunks of a planned file: here where they are few, else by jobs of their own, for which the stage parks.
import { type FaultCode, Fault, faultCatalogue } from '../../core/fault.ts';
import type { ChildEnd } from '../../job/context/types.ts';
import { TerminalError } from '../../job/run/outcome.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import { CHUNK_KIND, type ChunkInput, type ChunkResult, chunkResult } from './chunk-input.ts';

export type Work = Pick<ChunkInput, 'from' | 'to' | 'count'>;

interface Everywhere extends Pick<ChunkInput, 'dataset' | 'table' | 'plan' | 'of' | 'count'> {
  /** How many there are. */
  readonly chunks: number;
  readonly limits: ReadLimits;
}

/** The groups of chunks that one invocation each works on. */
function groupsOf(chunks: number, { chunksAnInvocation: most }: ReadLimits) {
  const groups = Math.ceil(chunks / most);
  return Array.from({ length: groups }, (_, group) => ({
    from: group * most,
    to: Math.min(chunks, (group + 1) * most),
  }));
}

/** Of all chunks, a result a group, in their order. Faults: what a chunk failed with. */
export async function workEverywhere(
  ctx: StageContext,
  { chunks, limits, ...input }: Everywhere,
  here: (work: Work) => Promise<ChunkResult>,
): Promise<ChunkResult[]> {
  const groups = groupsOf(chunks, limits);
  const [only] = groups;
  const { plan, count } = input;
  if (only !== undefined && groups.length === 1) return [await here({ ...only, ...(count && { count }) })];
  const name = count === undefined ? plan : `${plan} count`;
  for (const group of groups) await ctx.submit(CHUNK_KIND, { ...input, ...group }, { name: `${name} ${group.from}` });
  const ends = await ctx.waitForChildren();
  return ends.slice(ends.length - groups.length).map(resultOf);
}

const isFault = (code: string): code is FaultCode => Object.hasOwn(faultCatalogue, code);

/** A child has had its own attempts, so that what it failed with is the end of the whole. */
function resultOf({ status, result, error }: ChildEnd): ChunkResult {
  if (status === 'succeeded') return chunkResult.parse(result);
  const { code = 'CANCELLED', detail = `A job that writes a part of the table ended as ${status}.` } = error ?? {};
  if (isFault(code) && !faultCatalogue[code].retriable) throw new Fault(code, detail);
  throw new TerminalError(`A job that writes a part of the table ended as ${status} (${code}): ${detail}`);
}
