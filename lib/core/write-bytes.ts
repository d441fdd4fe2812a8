/**
 * Bytes that are written to a local file at once. Less takes more calls. A larger write is given larger pages, for which Linux finds no memory that
 * was used before. A virtual machine is slow to fill new one: 100 MB took 50 ms of processor at 512 KiB a write, and 320 at 4 MiB, as they all do once
 * no used memory is left.
 */
export const WRITE_BYTES = 1 << 19;
