// multipart/form-data with one part named `file`, read by the platform's own parser from a body that is already bounded.
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
