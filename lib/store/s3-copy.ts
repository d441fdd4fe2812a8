// Copies inside the bucket: S3 reads and writes the bytes itself. One call takes up to 5 GiB; what is larger goes in parts.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { must } from '../core/check.ts';
import { isSameEtag, type ObjectInfo, type Objects } from '../core/objects.ts';
import { callingS3, failureOf, writeOnce } from './s3-call.ts';

const MIB = 1024 ** 2;
const MAX_PARTS = 10_000;
const AT_ONCE = 8;

export interface CopySizes {
  /** Bytes that one call copies at most. */
  readonly single: number;
  /** Bytes of a part; more where there would be too many parts. */
  readonly part: number;
}
const awsSizes: CopySizes = { single: 5 * 1024 * MIB, part: 512 * MIB };

interface Copying {
  readonly client: S3Client;
  readonly place: { readonly Bucket: string; readonly Key: string };
  readonly source: { readonly CopySource: string; readonly CopySourceIfMatch: string };
}

export function createS3Copy(
  client: S3Client,
  bucket: string,
  describe: (key: string) => Promise<ObjectInfo | undefined>,
  sizes: CopySizes = awsSizes,
): Objects['copyOnce'] {
  return async ({ key, etag }, to) => {
    const [found, taken] = [await describe(key), await describe(to)];
    if (taken !== undefined) return 'exists';
    if (found === undefined) return 'missing';
    if (!isSameEtag(found.etag, etag)) return 'changed';
    const source = {
      CopySource: [bucket, ...key.split('/')].map(encodeURIComponent).join('/'),
      CopySourceIfMatch: found.etag,
    };
    const copying = { client, place: { Bucket: bucket, Key: to }, source };
    try {
      const copied = await (found.size <= sizes.single ? copyAtOnce(copying) : copyParts(copying, found.size, sizes));
      if (copied === 'written') return copied;
    } catch (error) {
      if (failureOf(error).name === 'NoSuchKey') return 'missing';
      throw error;
    }
    // 412 says that the key is taken as well as that the source is another one.
    return (await describe(to)) === undefined ? 'changed' : 'exists';
  };
}

/** A tag of the source could let the copy expire, and takes rights of its own to be copied. */
const copyAtOnce = ({ client, place, source }: Copying): Promise<'written' | 'exists'> =>
  writeOnce(() =>
    client.send(
      new CopyObjectCommand({
        ...place,
        ...source,
        IfNoneMatch: '*',
        MetadataDirective: 'REPLACE',
        TaggingDirective: 'REPLACE',
      }),
    ),
  );

async function copyParts(copying: Copying, size: number, { part }: CopySizes): Promise<'written' | 'exists'> {
  const { client, place } = copying;
  const { UploadId } = await callingS3(() => client.send(new CreateMultipartUploadCommand(place)));
  const upload = { ...place, UploadId: must(UploadId, 'the id of the upload') };
  try {
    const Parts = await copyRanges(copying, upload.UploadId, rangesOf(size, part));
    const complete = { ...upload, MultipartUpload: { Parts }, IfNoneMatch: '*' };
    const written = await writeOnce(() => client.send(new CompleteMultipartUploadCommand(complete)));
    if (written === 'exists') await client.send(new AbortMultipartUploadCommand(upload));
    return written;
  } catch (error) {
    // Where this fails too, the lifecycle of the bucket removes what is left.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    if (failureOf(error).status === 412) return 'exists';
    throw error;
  }
}

/** The ranges of the parts, as HTTP writes them. */
export function rangesOf(size: number, part: number): string[] {
  const bytes = Math.max(part, Math.ceil(size / MAX_PARTS / MIB) * MIB);
  const count = Math.ceil(size / bytes);
  return Array.from({ length: count }, (_, at) => `bytes=${at * bytes}-${Math.min(size, (at + 1) * bytes) - 1}`);
}

async function copyRanges({ client, place, source }: Copying, UploadId: string, ranges: readonly string[]) {
  const parts: { PartNumber: number; ETag: string | undefined }[] = [];
  const waiting = ranges.entries();
  const copyNext = async (): Promise<void> => {
    for (const [at, CopySourceRange] of waiting) {
      const PartNumber = at + 1;
      const asked = new UploadPartCopyCommand({ ...place, ...source, UploadId, PartNumber, CopySourceRange });
      const { CopyPartResult } = await callingS3(() => client.send(asked));
      parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyNext));
  return parts.sort((a, b) => a.PartNumber - b.PartNumber);
}
