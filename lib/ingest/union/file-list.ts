// A list of files that are one table together, as it is kept: a file of its own, so that it is ingested again as any other.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import { idOf } from '../id-of.ts';

/** Files of one list, and bytes of all of them. */
export const MOST_LISTED = 500;
export const MOST_LISTED_BYTES = 50 * 2 ** 30;

const fileListSchema = z.lazy(() =>
  z.strictObject({
    v: z.literal(1),
    /** In the order of the rows. */
    files: z
      .array(
        z.strictObject({
          id: idOf('file'),
          name: z.string(),
          /** Of its bytes, and how many there are. */
          key: z.string(),
          bytes: z.int(),
          /** The object that it is to be copied from first, and what it was when it was listed. */
          from: z.strictObject({ key: z.string(), etag: z.string() }).optional(),
        }),
      )
      .min(1)
      .max(MOST_LISTED),
  }),
);
export type FileList = z.infer<typeof fileListSchema>;
export type ListedFile = FileList['files'][number];

/** With the bytes that it was read from. Throws the Fault INPUT_UNREADABLE. */
export async function readFileList(objects: Objects, key: string): Promise<{ list: FileList; bytes: Uint8Array }> {
  const bytes = await objects.get(key);
  if (bytes === undefined) throw new Fault('INPUT_UNREADABLE', 'The list of the files is gone.');
  return { list: fileListSchema.parse(JSON.parse(Buffer.from(bytes).toString())), bytes };
}
