// Row groups that follow each other, put together to chunks.
import { Fault } from '../../../core/fault.ts';
import type { ReadLimits } from '../../reading/types.ts';
import type { Group, GroupLayout } from './layout.ts';
import type { GroupChunk } from './plan.ts';

/** Of what the footer says of the row groups of a chunk, which is in memory as a whole, several times as large. */
const SAID_BYTES = 4 * 2 ** 20;

type Limits = Pick<ReadLimits, 'groupBytes' | 'maxWholeBytes'>;

/** A file without rows is a chunk without row groups. Throws the Fault FILE_TOO_LARGE. */
export function chunksOf({ groups, before }: Pick<GroupLayout, 'groups' | 'before'>, limits: Limits): GroupChunk[] {
  const chunks: GroupChunk[] = [];
  let rowsBefore = 0;
  for (const [place, group] of groups.entries()) {
    requireReadable(group, place, limits);
    const last = chunks.at(-1);
    if (last !== undefined && fits(last, group, limits)) chunks[chunks.length - 1] = withGroup(last, group);
    else chunks.push({ said: group.said, groups: 1, bytes: group.bytes, rows: group.rows, rowsBefore });
    rowsBefore += group.rows;
  }
  const none = { said: { start: before.end, end: before.end }, groups: 0, bytes: 0, rows: 0, rowsBefore: 0 };
  return chunks.length === 0 ? [none] : chunks;
}

const fits = ({ bytes, said }: GroupChunk, group: Group, { groupBytes }: Limits): boolean =>
  bytes + group.bytes <= groupBytes && group.said.end - said.start <= SAID_BYTES;

const withGroup = (chunk: GroupChunk, { said, bytes, rows }: Group): GroupChunk => ({
  ...chunk,
  said: { start: chunk.said.start, end: said.end },
  groups: chunk.groups + 1,
  bytes: chunk.bytes + bytes,
  rows: chunk.rows + rows,
});

function requireReadable({ bytes }: Group, place: number, { maxWholeBytes: limit }: Limits): void {
  if (bytes <= limit) return;
  const what = `Row group ${place + 1} of the Parquet file has ${bytes} bytes; the limit is ${limit}: write it with smaller ones.`;
  throw new Fault('FILE_TOO_LARGE', what, { extra: { size: bytes, limit } });
}
