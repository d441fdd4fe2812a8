// DynamoDB's limits, tested before anything is sent: an emulator and SQLite would let them pass, and production would not.
import { Fault } from '../core/fault.ts';

/** Names and values together. */
export const MAX_ITEM_BYTES = 400 * 1024;

/** The size of an attribute's value as DynamoDB counts it, to within a byte or two a number. */
function valueSize(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return 1 + Math.ceil(String(value).replace(/^0+|[-.]/g, '').length / 2);
  if (Array.isArray(value)) return 3 + value.reduce<number>((sum, each) => sum + 1 + valueSize(each), 0);
  if (typeof value === 'object' && value !== null) return 3 + Object.keys(value).length + itemSize(value);
  return 1;
}

/** Bytes of an item's names and values. */
export const itemSize = (item: object): number =>
  Object.entries(item).reduce<number>(
    (sum, [name, value]) => (value === undefined ? sum : sum + Buffer.byteLength(name) + valueSize(value)),
    0,
  );

/** Passes the item on, or throws the Fault LIMIT_EXCEEDED. */
export function withinLimit<T extends object>(item: T): T {
  if (itemSize(item) > MAX_ITEM_BYTES)
    throw new Fault('LIMIT_EXCEEDED', `A stored item may have at most ${MAX_ITEM_BYTES} bytes.`);
  return item;
}
