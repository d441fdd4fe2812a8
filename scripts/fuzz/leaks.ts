// Whether a process held more and more over its runs. What it takes once, for its pools and caches, is no leak.

export interface Held {
  /** Bytes. */
  readonly resident: number;
  /** Open files and sockets. */
  readonly handles: number;
}

/** With fewer runs the pools are still filling. */
const ENOUGH_RUNS = 500;
const MORE_RESIDENT = 1.3;
const SPARE_BYTES = 96 * 2 ** 20;
const SPARE_HANDLES = 16;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Means of the second fifth and of the last: in the first, pools fill. */
export function growthOf(values: readonly number[]): { readonly early: number; readonly late: number } {
  const fifth = Math.floor(values.length / 5);
  return { early: mean(values.slice(fifth, 2 * fifth)), late: mean(values.slice(-fifth)) };
}

/** A sentence for each kind of leak. */
export function leakIn(held: readonly Held[]): string[] {
  if (held.length < ENOUGH_RUNS) return [];
  const resident = growthOf(held.map((one) => one.resident));
  const handles = growthOf(held.map((one) => one.handles));
  const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  return [
    ...(resident.late > MORE_RESIDENT * resident.early + SPARE_BYTES
      ? [`resident memory grew from ${mib(resident.early)} to ${mib(resident.late)}`]
      : []),
    ...(handles.late > handles.early + SPARE_HANDLES
      ? [`open handles grew from ${Math.round(handles.early)} to ${Math.round(handles.late)}`]
      : []),
  ];
}
