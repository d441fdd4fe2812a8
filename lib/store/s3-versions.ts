// Objects with every version that the bucket keeps of them, and how they are removed for good.
import { DeleteObjectsCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import type { Objects } from '../core/objects.ts';
import { StoreUnavailable } from '../job/ports.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { callingS3 } from './s3-call.ts';

const cursorSchema = z.object({ key: z.string(), version: z.string().optional() });

export const createS3Versions = (
  client: S3Client,
  bucket: string,
): Pick<Objects, 'listVersions' | 'deleteVersions'> => ({
  listVersions: async (prefix, after) => {
    const from = after === undefined ? undefined : readCursor(cursorSchema, after);
    const asked = new ListObjectVersionsCommand({
      ...{ Bucket: bucket, Prefix: prefix },
      ...(from && { KeyMarker: from.key, VersionIdMarker: from.version }),
    });
    const answer = await callingS3(() => client.send(asked));
    const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker: key, NextVersionIdMarker: version } = answer;
    const versions = [...Versions, ...DeleteMarkers.map((each) => ({ ...each, Size: 0 }))].map((each) => ({
      ...{ key: each.Key ?? '', version: each.VersionId, size: each.Size ?? 0 },
    }));
    return { versions, ...(IsTruncated === true && key !== undefined && { after: writeCursor({ key, version }) }) };
  },
  deleteVersions: async (versions) => {
    if (versions.length === 0) return;
    const named = versions.map(({ key, version }) => ({ Key: key, VersionId: version }));
    const remove = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: named, Quiet: true } });
    const { Errors: [failed] = [] } = await callingS3(() => client.send(remove));
    if (failed === undefined) return;
    const why = `S3 did not remove ${failed.Key ?? 'an object'}: ${failed.Code ?? ''} ${failed.Message ?? ''}`;
    throw failed.Code === 'AccessDenied' ? new Error(why) : new StoreUnavailable(why);
  },
});
