// Which lists of files are read in chunks: those of large files, all of which are text that is one table. What is larger than what is read as a whole
// has to be such a list.
import { Fault } from '../../../core/fault.ts';
import { textFormatOf } from '../../chunks/large.ts';
import { fitsInvocation } from '../../chunks/text-hash.ts';
import { splitName } from '../../formats/extensions.ts';
import type { ReadOptions } from '../../options.ts';
import type { ReadLimits } from '../../reading/types.ts';
import { type FileList, MOST_LISTED_BYTES } from '../file-list.ts';
import { inFile } from '../in-file.ts';

const ONE_TABLE =
  'each has to be text that is one table (CSV, TSV, NDJSON, or a JSON array of objects), compressed or not';

/** Of a file. */
export const notInChunks = ({ maxWholeBytes: limit }: Pick<ReadLimits, 'maxWholeBytes'>): Fault =>
  new Fault('FILE_TOO_LARGE', `It is no such text: where files have more than ${limit} bytes together, ${ONE_TABLE}.`, {
    extra: { limit },
  });

interface ListAsked {
  readonly list: FileList;
  /** Of all files. */
  readonly bytes: number;
  readonly options: ReadOptions;
}

/** `may be in chunks`: that is less work, or the files may have more text than is read as a whole; they are read so where one of them is no such text. */
export type HowRead = 'whole' | 'in chunks' | 'may be in chunks';

/** Bytes of text that a byte of a compressed file may stand for before it is looked at. */
const COMPRESSED_SHARE = 8;

/** As far as names and sizes tell. Throws the Fault FILE_TOO_LARGE. */
export async function howToRead(asked: ListAsked, limits: ReadLimits): Promise<HowRead> {
  const { list, bytes, options } = asked;
  if (bytes <= limits.maxWholeBytes) return areLarge(asked, limits) ? 'may be in chunks' : 'whole';
  const limit = options.jsonPath === undefined ? MOST_LISTED_BYTES : limits.maxWholeBytes;
  if (bytes > limit)
    throw new Fault('FILE_TOO_LARGE', `The files have ${bytes} bytes together; the limit of one table is ${limit}.`, {
      extra: { size: bytes, limit },
    });
  for (const { name } of list.files)
    await inFile(name, async () => {
      if (!mayBeText(name)) throw notInChunks(limits);
    });
  return 'in chunks';
}

/** A name that says no format is refused by whoever looks at the file; that of an archive may say none. */
function mayBeText(name: string): boolean {
  const { format } = splitName(name);
  return format === undefined || textFormatOf(format) !== undefined;
}

/** Small files are read with less work at once than a chunk each. */
const SMALL_SHARE = 8;

function areLarge({ list, options }: ListAsked, limits: ReadLimits): boolean {
  if (options.jsonPath !== undefined || !list.files.every(({ name }) => mayBeText(name))) return false;
  const textOf = ({ name, bytes }: FileList['files'][number]): number =>
    splitName(name).compression === 'none' ? bytes : COMPRESSED_SHARE * bytes;
  const text = list.files.reduce((sum, file) => sum + textOf(file), 0);
  const areSmall = SMALL_SHARE * text < list.files.length * limits.chunkBytes;
  return text > limits.maxWholeBytes || !(areSmall || fitsInvocation(text, limits));
}
