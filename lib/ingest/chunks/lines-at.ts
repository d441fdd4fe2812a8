// The lines of a text that is read in order, with how many end before some places in it, which are told before their bytes come.
import { lineCounter } from './local-bytes.ts';

/** Places, and how many lines end before each; JSON. */
export type LinesAt = readonly (readonly [place: number, lines: number])[];

/** `before`: lines that end before what comes. */
export function linesAt(before: number) {
  const counter = lineCounter();
  const awaited: number[] = [];
  const found: [number, number][] = [];
  return {
    /** Awaits the places that the answer is called with, each behind the one before, and tells `also` of them. */
    await:
      (also?: (place: number) => void) =>
      (place: number): void => {
        also?.(place);
        awaited.push(place);
      },
    /** Bytes that stand at `offset`. */
    add: (bytes: Buffer, offset: number): void => {
      let from = 0;
      for (let place = awaited[found.length]; place !== undefined && place < offset + bytes.length; ) {
        counter.add(bytes.subarray(from, place - offset));
        from = place - offset;
        found.push([place, before + counter.lines()]);
        place = awaited[found.length];
      }
      counter.add(bytes.subarray(from));
    },
    behind: (): number => before + counter.lines(),
    found: (earlier: LinesAt): LinesAt => [...earlier, ...found],
  };
}
