// The file that a request carries: its bytes, bounded and as they were sent, and its name.
import { Fault } from '../core/fault.ts';
import type { DatasetId } from '../core/ids.ts';
import { isMultipart, isText, readBytes } from './body.ts';
import type { HttpLimits } from './deps.ts';
import { MULTIPART_OVERHEAD } from './limits.ts';
import { type FilePart, readFilePart, readFileParts } from './multipart.ts';
import { checkedFileName } from '../ingest/file-name.ts';

/** The bytes that a text body loses where it passes API Gateway are replaced by this character. */
const REPLACEMENT = Buffer.from('\uFFFD');

function tooLarge(dataset: DatasetId, limit: number): Fault {
  const uploadRoute = `/v1/datasets/${dataset}/uploads`;
  return new Fault('BODY_TOO_LARGE', `A direct upload may have at most ${limit} bytes; ${uploadRoute} takes more.`, {
    extra: { limit, uploadRoute },
  });
}

/** The file that the request carries, raw or as the one part of a form; its name comes from the query or from the part. */
export async function readFile(request: Request, dataset: DatasetId, limits: HttpLimits): Promise<Partial<FilePart>> {
  const limit = limits.directUpload;
  const refuse = () => tooLarge(dataset, limit);
  if (!isMultipart(request)) return { bytes: await readBytes(request, limit, refuse) };
  const body = await readBytes(request, limit + MULTIPART_OVERHEAD, refuse);
  const part = await readFilePart(body, request.headers.get('content-type') ?? '');
  if (part.bytes.length > limit) throw refuse();
  return part;
}

/** The files that a form carries, together within the limit of one. */
export async function readFiles(
  request: Request,
  dataset: DatasetId,
  { directUpload: limit, files }: Pick<HttpLimits, 'directUpload'> & { readonly files: number },
): Promise<FilePart[]> {
  const body = await readBytes(request, limit + MULTIPART_OVERHEAD, () => tooLarge(dataset, limit));
  return readFileParts(body, request.headers.get('content-type') ?? '', files);
}

export function checkedBytes(bytes: Uint8Array, request: Request): Uint8Array {
  if (bytes.length === 0) throw new Fault('EMPTY_FILE', 'The body is empty.');
  if (isText(request) && Buffer.from(bytes).includes(REPLACEMENT))
    throw new Fault(
      'MALFORMED_UPLOAD',
      'Sent as text, it may have been altered on the way: use application/octet-stream.',
    );
  return bytes;
}

export function nameOf(asked: string | undefined, part: string | undefined): string {
  const name = asked ?? part;
  if (name !== undefined) return checkedFileName(name);
  const errors = [{ pointer: '#/query/name', detail: 'A raw upload needs the name of its file.' }];
  throw new Fault('VALIDATION_FAILED', 'The query parameter name is missing.', { errors });
}
