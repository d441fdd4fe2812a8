// The port of the object store: S3, or a folder in the embedded mode. Keys start with tenant and workspace.
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Scope } from './ids.ts';
import { type DurationMs, days, type EpochMs } from './time.ts';

export interface ObjectInfo {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
}

export interface UploadedPart {
  /** From 1 to 10,000. */
  readonly number: number;
  readonly etag: string;
}

export interface PresignedPart {
  readonly number: number;
  /** PUT the part's bytes here; the answer's ETag header is wanted on completion. */
  readonly url: string;
}

/** What a download is called, and how long its URL works. */
export interface Download {
  readonly expires: DurationMs;
  /** The file's name for whoever saves it. */
  readonly name: string;
  /** Its content type. */
  readonly type: string;
}

/** How long an object stays that was put to be passed on. */
export const passingFor: DurationMs = days(1);

export interface ListedObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
  /** When it was written, by the store's clock; epoch ms. */
  readonly writtenAt: EpochMs;
}

/** One of the versions that a bucket keeps of an object; a bucket that keeps none has one of each. */
export interface ObjectVersion {
  readonly key: string;
  readonly version?: string | undefined;
  /** Bytes; 0 where it only marks that the object was deleted. */
  readonly size: number;
}

/** Bytes of an object that are written to a local file. */
export interface Fetched {
  /** Of the first byte, and of the one behind the last. */
  readonly start: number;
  readonly end: number;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
  /** Is told how many bytes have been written more. */
  readonly wrote?: ((bytes: number) => void) | undefined;
}

export interface Objects {
  /** Writes once: `exists` when the key is taken already, and then nothing is changed (If-None-Match). */
  putOnce(key: string, body: Uint8Array | string): Promise<'written' | 'exists'>;
  /** Takes a local file over as putOnce does, in parts when it is large; memory stays flat. Unless it throws, the file is gone from its path. */
  moveFileOnce(key: string, path: string): Promise<'written' | 'exists'>;
  /** The same for what is only passed on: the object is removed some time after `passingFor`, and nobody has to see to it. */
  movePassingFile(key: string, path: string): Promise<'written' | 'exists'>;
  /** A URL from which anybody may GET the object until it expires. */
  presignGet(key: string, download: Download): Promise<string>;
  /** The whole object in memory: for small ones. Undefined when absent. */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * The object as a stream from the byte at `start` to the one before `end`; undefined when absent, and undefined or empty where it ends
   * before.
   */
  read(key: string, start?: number, end?: number): Promise<Readable | undefined>;
  /** Writes bytes of the object to a local file, behind what was written to it before, as many of them as there are; false when absent. */
  readInto(key: string, file: FileHandle, bytes: Fetched): Promise<boolean>;
  /**
   * The object as a local file in the place of what is at `path`; false when absent. To be read and removed: written to, the object itself may
   * change. `signal` ends it early.
   */
  download(key: string, path: string, signal?: AbortSignal): Promise<boolean>;
  head(key: string): Promise<ObjectInfo | undefined>;
  /**
   * Copies an object of any size inside the store, as putOnce writes. `missing`: there is none at the key. `changed`: what stands there
   * has another ETag by now. Either way nothing is written.
   */
  copyOnce(from: Pick<ObjectInfo, 'key' | 'etag'>, to: string): Promise<'written' | 'exists' | 'missing' | 'changed'>;
  /** Starts a multipart upload and returns its id. `partSize`: bytes of every part but the last, where that is known. */
  startMultipart(key: string, partSize?: number): Promise<string>;
  presignParts(key: string, uploadId: string, count: number, expires: DurationMs): Promise<PresignedPart[]>;
  /** `exists` when the key is taken; `incomplete` when parts are missing or their ETags differ. */
  completeMultipart(
    key: string,
    uploadId: string,
    parts: readonly UploadedPart[],
  ): Promise<'written' | 'exists' | 'incomplete'>;
  /**
   * Objects whose key begins with `prefix`, which ends with a slash; by key, up to a thousand a page. `after` goes on behind a page. What is
   * written or deleted meanwhile may be missing or there.
   */
  list(prefix: string, after?: string): Promise<{ readonly objects: readonly ListedObject[]; readonly after?: string }>;
  delete(key: string): Promise<void>;
  /** As `list`, of every version of what is there, or was: up to a thousand. */
  listVersions(
    prefix: string,
    after?: string,
  ): Promise<{ readonly versions: readonly ObjectVersion[]; readonly after?: string }>;
  /** For good, up to a thousand; those that are gone already are no error. */
  deleteVersions(versions: readonly ObjectVersion[]): Promise<void>;
}

/** Whether two ETags are of the same bytes, with the quotes of HTTP or without. */
export const isSameEtag = (a: string, b: string): boolean => bareEtag(a) === bareEtag(b);
const bareEtag = (etag: string): string => etag.replace(/^"|"$/g, '');

/** A key from its parts; refuses parts that could climb out of their place. */
export function objectKey(...parts: readonly (string | number)[]): string {
  for (const part of parts.map(String)) {
    if (part === '' || part === '.' || part === '..' || /[/\\\p{Cc}]/u.test(part))
      throw new TypeError(`not a key part: ${JSON.stringify(part)}`);
  }
  return parts.join('/');
}

/** Parts of the bucket that callers with rights of their own write to; each has a folder a tenant and workspace. No tenant has such a name. */
export const areas = ['inbox', 'batch'] as const;

/** The beginning of the keys of an area, up to the slash behind the workspace. */
export const areaKey = (area: (typeof areas)[number], { tenant, workspace }: Scope): string =>
  `${objectKey(area, tenant, workspace)}/`;

/** What belongs to an uploaded file lies below it. Throws a TypeError for what is no id. */
export const fileFolder = ({ tenant, workspace }: Scope, dataset: string, file: string): string =>
  `${objectKey(tenant, workspace, 'datasets', dataset, 'files', file)}/`;

/** Where the bytes of an uploaded file are, by the ids that the routes of datasets and files answer. Throws a TypeError for what is no id. */
export const fileKey = ({ tenant, workspace }: Scope, dataset: string, file: string): string =>
  objectKey(tenant, workspace, 'datasets', dataset, 'files', file, 'source');
