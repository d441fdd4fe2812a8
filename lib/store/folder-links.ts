// Downloads of the folder store: URLs that are signed and expire, as S3's presigned ones do; and objects that go by themselves.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Fault } from '../core/fault.ts';
import { type Download, type Objects, passingFor } from '../core/objects.ts';
import { type Clock, later } from '../core/time.ts';
import { randomName, unlessAbsent } from './folder-files.ts';

/** The query of a download's URL. */
export interface LinkQuery {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  /** Epoch ms. */
  readonly expires: string;
  readonly signature: string;
}

interface LinksOptions {
  readonly directory: string;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly secret: string;
  readonly read: (key: string) => Promise<Readable | undefined>;
  readonly remove: (key: string) => Promise<void>;
}

export interface Links {
  readonly presign: Objects['presignGet'];
  /** What a URL leads to. Throws the Faults FORBIDDEN (bad signature, expired) and NOT_FOUND. */
  readonly open: (query: LinkQuery) => Promise<Omit<Download, 'expires'> & { readonly body: Readable }>;
  /** Notes that the object of this key is to go, and removes those whose time has come. */
  pass(key: string): Promise<void>;
}

export function createLinks({ directory, baseUrl, clock, secret, read, remove }: LinksOptions): Links {
  const passing = join(directory, 'passing');
  const sweep = async (): Promise<void> => {
    const due = (await readdir(passing)).filter((file) => Number(file.split('-', 1)[0]) <= clock.now());
    for (const file of due) {
      // Another call may be at the same file.
      const key = await unlessAbsent(() => readFile(join(passing, file), 'utf8'));
      if (key !== undefined) await remove(key);
      await rm(join(passing, file), { force: true });
    }
  };
  return {
    presign: async (key, { expires, name, type }) => {
      const until = String(later(clock.now(), expires));
      const signature = sign(secret, key, name, type, until);
      return `${baseUrl}?${new URLSearchParams({ key, name, type, expires: until, signature }).toString()}`;
    },
    open: async ({ key, name, type, expires, signature }) => {
      const [given, wanted] = [Buffer.from(signature), Buffer.from(sign(secret, key, name, type, expires))];
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
        throw new Fault('FORBIDDEN', 'The URL of this file is not one that was signed here.');
      if (Number(expires) <= clock.now()) throw new Fault('FORBIDDEN', 'The URL of this file has expired.');
      const body = await read(key);
      if (body === undefined) throw new Fault('NOT_FOUND', 'The file is no longer kept.');
      return { name, type, body };
    },
    pass: async (key) => {
      await mkdir(passing, { recursive: true });
      await sweep();
      await writeFile(join(passing, `${later(clock.now(), passingFor)}-${randomName()}`), key);
    },
  };
}

/** Apart from what parts are signed with: a part's signature opens no file. */
const sign = (secret: string, ...parts: readonly string[]): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['download', ...parts]))
    .digest('hex');
