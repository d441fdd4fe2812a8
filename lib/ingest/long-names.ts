// A header may hold texts of any length: how much of one is read as a name. What is read of all of it is read often, so that many such
// names would take minutes.

/** Characters in which words are looked for. */
const MOST_READ = 1000;
export const readName = (text: string): string => (isRead(text) ? text : text.slice(0, MOST_READ).toWellFormed());
/** Whether it is read as a whole. */
export const isRead = (text: string): boolean => text.length <= MOST_READ;

/** A longer text is no name, and is like none but itself: each column that went is compared with each that came. */
const LONGEST_NAME = 200;
export const isName = (text: string): boolean => text.length <= LONGEST_NAME;
