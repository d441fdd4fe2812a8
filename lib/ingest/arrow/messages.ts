// The messages of an Arrow IPC stream or file, found by their lengths, each of which must lie within the file.
import { bytesAt, type LocalFile } from '../rows/local-file.ts';
import { damaged, longAt, readRoot, type Table } from './flatbuffer.ts';
import { type ArrowField, schemaOf } from './schema.ts';

/** A range of bytes of a local file. */
export interface Region {
  readonly offset: number;
  readonly length: number;
}

/** What a batch says of itself. */
export interface BatchHead {
  readonly rows: number;
  /** Rows of each field, those inside others among them. */
  readonly nodes: readonly number[];
  /** Within the body. */
  readonly buffers: readonly Region[];
  readonly codec: 'none' | 'lz4' | 'zstd';
  readonly variadic: readonly number[];
  /** Unions have a bitmap of their own, as before version 5. */
  readonly unionsHaveBitmap: boolean;
  /** In the file. */
  readonly body: Region;
}

export type Message =
  | { readonly kind: 'schema'; readonly fields: ArrowField[] }
  | { readonly kind: 'rows'; readonly batch: BatchHead }
  | { readonly kind: 'dictionary'; readonly id: number; readonly isDelta: boolean; readonly batch: BatchHead };

const MAGIC = 'ARROW1';
const MAX_METADATA_BYTES = 64 * 2 ** 20;
const V5 = 4;

/** Exactly these bytes. Throws the Fault PARSE_ERROR where the file ends before. */
export function bytesOf(file: LocalFile, offset: number, length: number): Buffer {
  const bytes = bytesAt(file, offset, length);
  if (bytes !== undefined) return bytes;
  const where = `${length} bytes are promised at offset ${offset}; the file ends at ${file.size}`;
  throw damaged(`${where}: it is cut short or damaged.`);
}

function codecOf(compression: Table | undefined): BatchHead['codec'] {
  if (compression === undefined) return 'none';
  const codec = (['lz4', 'zstd'] as const)[compression.byte(4, 0)];
  if (codec === undefined) throw damaged('its buffers are compressed in an unknown way.');
  return codec;
}

function batchOf(table: Table | undefined, version: number, body: Region): BatchHead {
  if (table === undefined) throw damaged('a batch has no head.');
  return {
    rows: table.long(4, 0),
    nodes: table.items(6, 16, longAt),
    buffers: table.items(8, 16, (view, at) => ({ offset: longAt(view, at), length: longAt(view, at + 8) })),
    codec: codecOf(table.table(10)),
    variadic: table.items(12, 8, longAt),
    unionsHaveBitmap: version < V5,
    body,
  };
}

function messageOf(root: Table, body: Region): Message | undefined {
  const [version, head] = [root.short(4, 0), root.table(8)];
  if (version < 3) throw damaged(`it is of the old version ${version + 1} of the format.`);
  switch (root.byte(6, 0)) {
    case 1:
      if (head === undefined) throw damaged('the schema is missing.');
      return { kind: 'schema', fields: schemaOf(head) };
    case 2: {
      const batch = batchOf(head?.table(6), version, body);
      return { kind: 'dictionary', id: head?.long(4, 0) ?? 0, isDelta: head?.flag(8) ?? false, batch };
    }
    case 3:
      return { kind: 'rows', batch: batchOf(head, version, body) };
    default:
      return undefined;
  }
}

interface Read {
  readonly message: Message | undefined;
  readonly next: number;
}

/** The message at `at`, or undefined where the stream ends. */
function messageAt(file: LocalFile, at: number): Read | undefined {
  const first = bytesOf(file, at, 4).readInt32LE();
  const marked = first === -1;
  const length = marked ? bytesOf(file, at + 4, 4).readInt32LE() : first;
  if (length === 0) return undefined;
  const start = at + (marked ? 8 : 4);
  if (length < 0 || length > MAX_METADATA_BYTES) throw damaged(`a message has ${length} bytes of metadata.`);
  return readRoot(bytesOf(file, start, length), (root) => {
    const body = { offset: start + length, length: root.long(10, 0) };
    if (body.offset + body.length > file.size)
      throw damaged(`the message at offset ${at} ends behind the end of the file, which is cut short or damaged.`);
    return { message: messageOf(root, body), next: body.offset + body.length };
  });
}

function* streamed(file: LocalFile): Generator<Message> {
  for (let at = 0; at < file.size; ) {
    const read = messageAt(file, at);
    if (read === undefined) return requireEnd(file, at);
    if (read.message !== undefined) yield read.message;
    at = read.next;
  }
}

/** Padding may stand behind the end of a stream; what else does would be left out. */
function requireEnd(file: LocalFile, at: number): void {
  const rest = bytesOf(file, at, Math.min(file.size - at, 65_536));
  const marked = rest.length >= 4 && rest.readInt32LE() === -1 ? rest.subarray(8) : rest.subarray(4);
  if (marked.some((byte) => byte !== 0)) throw damaged(`bytes follow the end of the stream at offset ${at}.`);
}

const blockAt = (view: DataView, at: number): number => longAt(view, at);

function* indexed(file: LocalFile): Generator<Message> {
  const tail = bytesOf(file, Math.max(0, file.size - 10), Math.min(10, file.size));
  if (tail.subarray(4).toString('latin1') !== MAGIC) throw damaged('the file does not end as one: it is cut short.');
  const length = tail.readInt32LE();
  if (length <= 0 || length > MAX_METADATA_BYTES) throw damaged(`its footer has ${length} bytes.`);
  const footer = bytesOf(file, file.size - 10 - length, length);
  const { fields, blocks } = readRoot(footer, (root) => {
    const schema = root.table(6);
    if (schema === undefined) throw damaged('the schema is missing.');
    return { fields: schemaOf(schema), blocks: [...root.items(8, 24, blockAt), ...root.items(10, 24, blockAt)] };
  });
  yield { kind: 'schema', fields };
  for (const offset of blocks) {
    const message = messageAt(file, offset)?.message;
    if (message === undefined || message.kind === 'schema') throw damaged(`no batch stands at offset ${offset}.`);
    yield message;
  }
}

/** The messages in the order in which they are to be read, the schema first. Throws the Faults PARSE_ERROR and UNSUPPORTED_SCHEMA. */
export function* messagesOf(file: LocalFile): Generator<Message> {
  const isFile = file.size >= 8 && bytesOf(file, 0, 6).toString('latin1') === MAGIC;
  yield* isFile ? indexed(file) : streamed(file);
}
