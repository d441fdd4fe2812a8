/**
 * Whether the object of sequencer `a` was written later than that of `b`, at the same key. S3 says: hexadecimal digits, the shorter one
 * filled up with zeros on the right.
 */
export function isLater(a: string, b: string): boolean {
  const length = Math.max(a.length, b.length);
  return a.toUpperCase().padEnd(length, '0') > b.toUpperCase().padEnd(length, '0');
}
