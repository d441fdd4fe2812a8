// Multipart uploads by presigned URLs: the bytes go from the caller to S3, the service only starts and completes.
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { must } from '../core/check.ts';
import type { Objects, UploadedPart } from '../core/objects.ts';
import { callingS3, failureOf, writeOnce } from './s3-call.ts';

type Place = (key: string) => { readonly Bucket: string; readonly Key: string };
type Multipart = Pick<Objects, 'startMultipart' | 'presignParts' | 'completeMultipart'>;

const incomplete: ReadonlySet<string> = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall', 'MalformedXML']);

export const createS3Parts = (client: S3Client, at: Place, isTaken: (key: string) => Promise<boolean>): Multipart => ({
  startMultipart: async (key) => {
    const { UploadId } = await callingS3(() => client.send(new CreateMultipartUploadCommand(at(key))));
    return must(UploadId, 'the id of the upload');
  },
  presignParts: (key, uploadId, count, expires) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const part = new UploadPartCommand({ ...at(key), UploadId: uploadId, PartNumber: index + 1 });
        leaveOutChecksum(part);
        return { number: index + 1, url: await getSignedUrl(client, part, { expiresIn: Math.ceil(expires / 1000) }) };
      }),
    ),
  completeMultipart: async (key, uploadId, parts) => {
    if (parts.length === 0) return 'incomplete';
    try {
      return await writeOnce(() => client.send(completion(at(key), uploadId, parts)));
    } catch (error) {
      const { name } = failureOf(error);
      if (incomplete.has(name)) return 'incomplete';
      // The upload is over: an earlier call completed it and its answer was lost, or it never was.
      if (name === 'NoSuchUpload') return (await isTaken(key)) ? 'exists' : 'incomplete';
      throw error;
    }
  },
});

const completion = (place: ReturnType<Place>, uploadId: string, parts: readonly UploadedPart[]) =>
  new CompleteMultipartUploadCommand({
    ...place,
    UploadId: uploadId,
    MultipartUpload: { Parts: parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag })) },
    IfNoneMatch: '*',
  });

/** The SDK would sign the checksum of the body that it sees, an empty one, into a URL that is for another body. */
function leaveOutChecksum(part: UploadPartCommand): void {
  part.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      for (const name of Object.keys(headers).filter((each) => /checksum/i.test(each))) delete headers[name];
      return next(args);
    },
    { step: 'build', priority: 'low', name: 'leaveOutChecksum' },
  );
}
