// multipart/form-data with a part named `file`, or several named `files`, read by the platform's own parser from a body that is already bounded.
import { Fault } from '../core/fault.ts';

export interface FilePart {
  readonly bytes: Uint8Array;
  /** As the part's Content-Disposition says. */
  readonly name: string;
}

const malformed = (detail: string, cause?: unknown): Fault => new Fault('MALFORMED_UPLOAD', detail, { cause });

async function formOf(body: Uint8Array, contentType: string): Promise<FormData> {
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated for bodies without a bound; this one has one
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch (error) {
    throw malformed('The multipart body cannot be read: check its boundary and that it is whole.', error);
  }
}

/** The file of a multipart body; throws MALFORMED_UPLOAD unless it has exactly one part, a file named `file`. */
export async function readFilePart(body: Uint8Array, contentType: string): Promise<FilePart> {
  const form = await formOf(body, contentType);
  const parts = [...form.entries()];
  const [name, file] = parts[0] ?? [];
  if (parts.length !== 1 || name !== 'file' || typeof file !== 'object')
    throw malformed('The multipart body needs exactly one part: a file, named "file".');
  return { bytes: new Uint8Array(await file.arrayBuffer()), name: file.name };
}

/** The files of a multipart body in their order; throws MALFORMED_UPLOAD unless it has 1 to `most` parts, all files named `files`. */
export async function readFileParts(body: Uint8Array, contentType: string, most: number): Promise<FilePart[]> {
  const parts = [...(await formOf(body, contentType)).entries()];
  if (parts.length === 0 || parts.length > most)
    throw malformed(`The multipart body has ${parts.length} parts; it needs 1 to ${most} files, each named "files".`);
  const files: FilePart[] = [];
  for (const [name, file] of parts) {
    if (name !== 'files' || typeof file !== 'object') throw malformed('Each part has to be a file, named "files".');
    files.push({ bytes: new Uint8Array(await file.arrayBuffer()), name: file.name });
  }
  return files;
}
