/**
 * Bytes that are written to a local file at once. Less takes more calls. A write of a MiB and more is given pages as large as it is, which are slow
 * to fill where a virtual machine has not used their memory before: 100 MB take 50 ms of processor at 512 KiB a write, and 320 ms at 4 MiB.
 */
export const WRITE_BYTES = 1 << 19;
