// Objects in S3. Every write asks that the key is free (If-None-Match), so an object never changes once it is there.
import { createReadStream } from 'node:fs';
import { type FileHandle, open as openFile, rm, stat } from 'node:fs/promises';
import { addAbortSignal, Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Fetched, ObjectInfo, Objects } from '../core/objects.ts';
import { epochMs } from '../core/time.ts';
import { callingS3, unlessMissing, writeOnce } from './s3-call.ts';
import { createS3Copy } from './s3-copy.ts';
import { release, streamIntoFile } from './into-file.ts';
import { createS3Versions } from './s3-versions.ts';
import { createS3Parts } from './s3-parts.ts';

export interface S3Options {
  /** With `forcePathStyle` where an endpoint of one's own is set. */
  readonly client: S3Client;
  readonly bucket: string;
}

/** The tag that the bucket's lifecycle removes objects by; `passingFor` says when. */
const PASSING = 'keep=passing';

const MIB = 1024 * 1024;
const MIN_PART = 8 * MIB;
const MAX_PARTS = 10_000;

/**
 * @example
 * const objects = createS3Objects({ client: new S3Client({}), bucket: 'millrace-data' });
 */
export function createS3Objects({ client, bucket }: S3Options): Objects {
  const at = (key: string) => ({ Bucket: bucket, Key: key });
  const open = (key: string, start = 0, end?: number) =>
    unlessMissing(() => client.send(new GetObjectCommand({ ...at(key), ...rangeOf(start, end) })));
  const describe = async (key: string): Promise<ObjectInfo | undefined> => {
    const found = await unlessMissing(() => client.send(new HeadObjectCommand(at(key))));
    return found && { key, size: found.ContentLength ?? 0, etag: found.ETag ?? '' };
  };
  return {
    putOnce: (key, body) =>
      writeOnce(() => client.send(new PutObjectCommand({ ...at(key), Body: body, IfNoneMatch: '*' }))),
    moveFileOnce: (key, path) => moveFile(client, at(key), path),
    movePassingFile: (key, path) => moveFile(client, { ...at(key), Tagging: PASSING }, path),
    presignGet: (key, { expires, name, type }) =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          ...at(key),
          ResponseContentType: type,
          ResponseContentDisposition: `attachment; filename="${name}"`,
        }),
        { expiresIn: Math.ceil(expires / 1000) },
      ),
    get: async (key) => (await open(key))?.Body?.transformToByteArray(),
    read: async (key, start, end) => streamOf((await open(key, start, end))?.Body),
    readInto: async (key, file, { start, end, ...bytes }) => {
      const body = streamOf((await open(key, start, end))?.Body);
      if (body !== undefined) await callingS3(() => writeInto(file, body, bytes));
      return body !== undefined;
    },
    download: async (key, path, signal) => {
      const body = streamOf((await open(key))?.Body);
      if (body !== undefined) await writeFileAt(path, body, signal);
      return body !== undefined;
    },
    head: describe,
    copyOnce: createS3Copy(client, bucket, describe),
    list: createList(client, bucket),
    delete: async (key) => {
      await callingS3(() => client.send(new DeleteObjectCommand(at(key))));
    },
    ...createS3Versions(client, bucket),
    ...createS3Parts(client, at, async (key) => (await describe(key)) !== undefined),
  };
}

const createList =
  (client: S3Client, bucket: string): Objects['list'] =>
  async (prefix, after) => {
    const asked = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, StartAfter: after });
    const { Contents = [], IsTruncated } = await callingS3(() => client.send(asked));
    const found = Contents.map(({ Key = '', Size = 0, ETag = '', LastModified }) => ({
      ...{ key: Key, size: Size, etag: ETag },
      writtenAt: epochMs(LastModified?.getTime() ?? 0),
    }));
    const last = found.at(-1)?.key;
    return { objects: found, ...(IsTruncated === true && last !== undefined && { after: last }) };
  };

const rangeOf = (start: number, end: number | undefined) =>
  start > 0 || end !== undefined ? { Range: `bytes=${start}-${end === undefined ? '' : end - 1}` } : {};

interface Place {
  readonly Bucket: string;
  readonly Key: string;
  readonly Tagging?: string;
}

async function moveFile(client: S3Client, place: Place, path: string): Promise<'written' | 'exists'> {
  const answer = await writeOnce(() => uploadFile(client, place, path));
  await rm(path);
  return answer;
}

/** One put up to a part's size, else parts of it side by side; If-None-Match goes with the put or the completion. */
async function uploadFile(client: S3Client, place: Place, path: string): Promise<unknown> {
  const { size } = await stat(path);
  const upload = new Upload({
    client,
    params: { ...place, Body: createReadStream(path), IfNoneMatch: '*' },
    partSize: Math.max(MIN_PART, Math.ceil(size / MAX_PARTS / MIB) * MIB),
    queueSize: 3,
  });
  return upload.done();
}

async function writeInto(
  file: FileHandle,
  body: Readable,
  { signal, wrote }: Pick<Fetched, 'signal' | 'wrote'>,
): Promise<void> {
  if (signal !== undefined) addAbortSignal(signal, body);
  await streamIntoFile(body, file, { wrote, used: release });
}

async function writeFileAt(path: string, body: Readable, signal: AbortSignal | undefined): Promise<void> {
  // What is there may be another name of something that stays.
  await rm(path, { force: true });
  await using file = await openFile(path, 'w');
  await callingS3(() => writeInto(file, body, { signal }));
}

/** In Node the SDK answers a Readable. */
function streamOf(body: unknown): Readable | undefined {
  if (body === undefined) return undefined;
  if (!(body instanceof Readable)) throw new TypeError('the body is no stream');
  return body;
}
