// How much of a list goes into an answer, of which Lambda hands on at most 6 MB.

/** The most items that fit, at least one; `bytes` of their JSON. */
export function fitting<T>(list: readonly T[], most: { readonly items: number; readonly bytes: number }): T[] {
  const told: T[] = [];
  let bytes = 0;
  for (const item of list.slice(0, most.items)) {
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (told.length > 0 && bytes > most.bytes) break;
    told.push(item);
  }
  return told;
}
