// Writes zip archives for tests, right ones and wrong ones.
import { crc32, deflateRawSync } from 'node:zlib';

export interface Packed {
  readonly name: string;
  readonly data?: string | Uint8Array;
  /** 8, deflated, by default; 0 stores; anything else stores and claims to be that. */
  readonly method?: number;
  readonly flags?: number;
  /** What the local header says instead of the name. */
  readonly localName?: string;
  /** What both headers claim instead of the true ones. */
  readonly crc?: number;
  readonly size?: number;
}

const UTF8_NAME = 0x800;

function fields(packed: Packed) {
  const plain = Buffer.from(packed.data ?? '');
  const { method = 8, flags = 0, crc = crc32(plain), size = plain.length } = packed;
  const body = method === 8 ? deflateRawSync(plain) : plain;
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(flags | UTF8_NAME, 2);
  common.writeUInt16LE(method, 4);
  common.writeUInt32LE(crc, 10);
  common.writeUInt32LE(body.length, 14);
  common.writeUInt32LE(size, 18);
  return { body, common };
}

function headers(packed: Packed, offset: number) {
  const { body, common } = fields(packed);
  const name = Buffer.from(packed.name);
  const localName = Buffer.from(packed.localName ?? packed.name);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, localName, body]);
  local.writeUInt16LE(localName.length, 26);
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, Buffer.alloc(14), name]);
  central.writeUInt16LE(name.length, 28);
  central.writeUInt32LE(offset, 42);
  return { local, central };
}

/** The archive with these entries in order; names that end in a slash are folders. */
export function zip(...entries: readonly Packed[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const packed of entries) {
    const { local, central } = headers(packed, offset);
    locals.push(local);
    centrals.push(central);
    offset += local.length;
  }
  const list = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, list, end]);
}
