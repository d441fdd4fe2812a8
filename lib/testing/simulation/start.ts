/** Ms of the clock at which every run begins. */
export const START = 1_700_000_000_000;
