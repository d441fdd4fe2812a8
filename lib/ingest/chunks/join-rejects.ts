// The rejects of a table from those of its parts: the first of them, and as many of the records that were taken as there is room for.
import * as z from 'zod';
import type { Objects } from '../../core/objects.ts';
import { ACCEPTED, inOrder, MOST_REJECTS, type Reject, type Rejects, rejectSchema } from '../rejects/reject.ts';
import type { TablePlan } from './plan.ts';
import type { WrittenPart } from './written-part.ts';

async function linesOf(objects: Objects, { rejects }: WrittenPart): Promise<Reject[]> {
  const bytes = rejects === undefined ? undefined : await objects.get(rejects);
  return bytes === undefined ? [] : z.array(rejectSchema).parse(JSON.parse(Buffer.from(bytes).toString()));
}

/** `parts`: of every chunk, in order, of one file or several. */
export async function joinRejects(
  objects: Objects,
  { parts, files = [] }: { readonly parts: readonly WrittenPart[]; readonly files?: TablePlan['files'] },
  counted: Omit<Rejects, 'found'>,
): Promise<Rejects> {
  const found: Reject[] = [];
  const accepted: Reject[] = [];
  for (const part of parts) {
    if (found.length >= MOST_REJECTS) break;
    const lines = await linesOf(objects, part);
    found.push(...lines.filter(({ reason }) => reason !== ACCEPTED));
    accepted.push(...lines.filter(({ reason }) => reason === ACCEPTED).slice(0, MOST_REJECTS - accepted.length));
  }
  return {
    ...counted,
    found: inOrder(
      [...found, ...accepted].slice(0, MOST_REJECTS),
      files.map(({ name }) => name),
    ),
  };
}
