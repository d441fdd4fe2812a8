// Multipart uploads of the folder store: parts come by PUT to URLs that are signed and expire, as S3's presigned ones do.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../core/fault.ts';
import type { Objects } from '../core/objects.ts';
import { type Clock, days, epochMs, later } from '../core/time.ts';
import { randomName, unlessAbsent } from './folder-files.ts';
import { createPartFiles, type PartBody } from './part-files.ts';

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
  readonly acceptPart: (query: PartQuery, part: PartBody) => Promise<{ readonly etag: string }>;
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
  const files = createPartFiles(directory);
  const uploadAt = (upload: string) => join(directory, 'uploads', checked(upload));
  return {
    start: async (key, partSize) => {
      await forgetGivenUp(join(directory, 'uploads'), clock);
      const upload = randomName();
      await mkdir(uploadAt(upload), { recursive: true });
      await writeFile(join(uploadAt(upload), BEGAN), String(clock.now()));
      await files.begin(uploadAt(upload), partSize);
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
    acceptPart: async (query, part) => {
      verify(query, secret, clock);
      const folder = uploadAt(query.upload);
      if ((await keyOfUpload(folder)) === undefined) throw new Fault('NOT_FOUND', 'The upload is over.');
      return { etag: `"${await files.store(folder, Number(query.part), part)}"` };
    },
    complete: async (key, upload, parts) => {
      const folder = uploadAt(upload);
      if ((await keyOfUpload(folder)) !== key) return (await options.isTaken(key)) ? 'exists' : 'incomplete';
      const joinParts = await files.joining(folder, parts);
      if (joinParts === undefined) return 'incomplete';
      const written = await options.make(key, joinParts);
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
