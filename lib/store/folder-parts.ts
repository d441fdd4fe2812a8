// Multipart uploads of the folder store: parts come by PUT to URLs that are signed and expire, as S3's presigned ones do.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../core/fault.ts';
import type { Objects, UploadedPart } from '../core/objects.ts';
import { type Clock, days, epochMs, later } from '../core/time.ts';
import { randomName, temporaryIn, unlessAbsent } from './folder-files.ts';

/** The query of a part's URL. */
export interface PartQuery {
  readonly upload: string;
  readonly part: string;
  /** Epoch ms. */
  readonly expires: string;
  readonly signature: string;
}

export interface Parts {
  start: Objects['startMultipart'];
  presign: Objects['presignParts'];
  complete: Objects['completeMultipart'];
  /** Stores one part and answers its ETag. Throws the Faults FORBIDDEN (bad signature, expired) and NOT_FOUND (the upload is over). */
  acceptPart(query: PartQuery, body: Readable): Promise<{ readonly etag: string }>;
}

interface PartsOptions {
  readonly directory: string;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly secret: string;
  /** Fills a draft and takes the key with it. */
  make(key: string, fill: (path: string) => Promise<void>): Promise<'written' | 'exists'>;
  isTaken(key: string): Promise<boolean>;
}

export function createParts(options: PartsOptions): Parts {
  const { directory, baseUrl, clock, secret } = options;
  const uploadAt = (upload: string) => join(directory, 'uploads', checked(upload));
  return {
    start: async (key) => {
      await forgetGivenUp(join(directory, 'uploads'), clock);
      const upload = randomName();
      await mkdir(uploadAt(upload), { recursive: true });
      await writeFile(join(uploadAt(upload), BEGAN), String(clock.now()));
      await writeFile(join(uploadAt(upload), 'key'), key);
      return upload;
    },
    presign: async (_key, upload, count, expires) => {
      const until = String(later(clock.now(), expires));
      return Array.from({ length: count }, (_, index) => {
        const part = String(index + 1);
        const query = { upload, part, expires: until, signature: sign(secret, upload, part, until) };
        return { number: index + 1, url: `${baseUrl}?${new URLSearchParams(query).toString()}` };
      });
    },
    acceptPart: async (query, body) => {
      verify(query, secret, clock);
      return storePart(directory, uploadAt(query.upload), Number(query.part), body);
    },
    complete: async (key, upload, parts) => {
      const folder = uploadAt(upload);
      if ((await keyOfUpload(folder)) !== key) return (await options.isTaken(key)) ? 'exists' : 'incomplete';
      if (!(await areThere(folder, parts))) return 'incomplete';
      const written = await options.make(key, (draft) => joinParts(folder, parts, draft));
      await rm(folder, { recursive: true, force: true });
      return written;
    },
  };
}

/** A file beside an upload's parts: when it began, epoch ms. */
const BEGAN = 'began';
/** As the lifecycle of a bucket does. */
const GIVEN_UP = days(1);

/** Removes the parts of uploads that nobody will complete: their URLs have ended. */
async function forgetGivenUp(uploads: string, clock: Clock): Promise<void> {
  for (const upload of (await unlessAbsent(() => readdir(uploads))) ?? []) {
    const began = await unlessAbsent(() => readFile(join(uploads, upload, BEGAN), 'utf8'));
    if (began !== undefined && later(epochMs(Number(began)), GIVEN_UP) <= clock.now())
      await rm(join(uploads, upload), { recursive: true, force: true });
  }
}

function checked(upload: string): string {
  if (!/^[0-9a-f]{32}$/.test(upload)) throw new Fault('NOT_FOUND', 'There is no such upload.');
  return upload;
}

const sign = (secret: string, ...parts: readonly string[]): string =>
  createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');

function verify({ upload, part, expires, signature }: PartQuery, secret: string, clock: Clock): void {
  const [given, wanted] = [Buffer.from(signature), Buffer.from(sign(secret, upload, part, expires))];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new Fault('FORBIDDEN', 'The URL of this part is not one that was signed here.');
  if (Number(expires) <= clock.now()) throw new Fault('FORBIDDEN', 'The URL of this part has expired.');
}

const keyOfUpload = (folder: string): Promise<string | undefined> =>
  unlessAbsent(() => readFile(join(folder, 'key'), 'utf8'));

/** Its hash stands in its name, so that nobody has to read it again; one that is sent again has another. */
const partPath = (folder: string, number: number, etag: string): string => join(folder, `${number}-${etag}`);

async function storePart(directory: string, folder: string, number: number, body: Readable): Promise<{ etag: string }> {
  if ((await keyOfUpload(folder)) === undefined) throw new Fault('NOT_FOUND', 'The upload is over.');
  const draft = await temporaryIn(directory);
  const hash = createHash('md5');
  try {
    await pipeline(body, hashing(hash), createWriteStream(draft));
    const etag = hash.digest('hex');
    await rename(draft, partPath(folder, number, etag));
    return { etag: `"${etag}"` };
  } finally {
    await rm(draft, { force: true });
  }
}

const hashing = (hash: ReturnType<typeof createHash>) =>
  async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  };

const bare = (etag: string): string => etag.replace(/^"|"$/g, '');

/** Every part is there with the ETag that the caller was given, in ascending order. */
async function areThere(folder: string, parts: readonly UploadedPart[]): Promise<boolean> {
  if (parts.length === 0) return false;
  let previous = 0;
  for (const { number, etag } of parts) {
    if (number <= previous || !/^[0-9a-f]{32}$/.test(bare(etag))) return false;
    if ((await unlessAbsent(() => stat(partPath(folder, number, bare(etag))))) === undefined) return false;
    previous = number;
  }
  return true;
}

const COPY_BYTES = 1 << 20;

async function joinParts(folder: string, parts: readonly UploadedPart[], draft: string): Promise<void> {
  const pieces = async function* () {
    for (const { number, etag } of parts)
      yield* createReadStream(partPath(folder, number, bare(etag)), { highWaterMark: COPY_BYTES });
  };
  await pipeline(Readable.from(pieces()), createWriteStream(draft));
}
