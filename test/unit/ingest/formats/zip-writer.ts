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
  /** Sizes and place stand in the fields of ZIP64. */
  readonly zip64?: boolean;
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
  return { local, central: packed.zip64 === true ? withZip64(central, offset) : central };
}

const SAYS_ELSEWHERE = 0xffff_ffff;

/** The same entry of the list with its sizes and its place in an extra field of 64 bits each. */
function withZip64(central: Buffer, offset: number): Buffer {
  const extra = Buffer.alloc(28);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(24, 2);
  for (const [place, value] of [central.readUInt32LE(24), central.readUInt32LE(20), offset].entries())
    extra.writeBigUInt64LE(BigInt(value), 4 + 8 * place);
  for (const at of [20, 24, 42]) central.writeUInt32LE(SAYS_ELSEWHERE, at);
  central.writeUInt16LE(extra.length, 30);
  return Buffer.concat([central, extra]);
}

/** The end of an archive whose list is said to be where 32 bits do not reach. */
function endOf(entries: number, list: { readonly offset: number; readonly bytes: number }): Buffer {
  const end = Buffer.alloc(56 + 20 + 22);
  end.write('PK\x06\x06', 0, 'latin1');
  end.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) end.writeBigUInt64LE(BigInt(entries), at);
  end.writeBigUInt64LE(BigInt(list.bytes), 40);
  end.writeBigUInt64LE(BigInt(list.offset), 48);
  end.write('PK\x06\x07', 56, 'latin1');
  end.writeBigUInt64LE(BigInt(list.offset + list.bytes), 64);
  end.writeUInt32LE(1, 72);
  end.write('PK\x05\x06', 76, 'latin1');
  for (const at of [84, 86]) end.writeUInt16LE(entries, at);
  for (const at of [88, 92]) end.writeUInt32LE(SAYS_ELSEWHERE, at);
  return end;
}

/** An archive of ZIP64 with one entry, which stands behind so many bytes that are no part of it, and are not in the answer. */
export function farZip(packed: Packed, before: number): Buffer {
  const { local, central } = headers(packed, 0);
  const list = withZip64(central, before);
  return Buffer.concat([local, list, endOf(1, { offset: before + local.length, bytes: list.length })]);
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
  if (entries.some(({ zip64 }) => zip64 === true))
    return Buffer.concat([...locals, list, endOf(entries.length, { offset, bytes: list.length })]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, list, end]);
}
