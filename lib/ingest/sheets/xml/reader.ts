// Reads XML as it comes: tags and text in order, nested as they should be. What spreadsheets never hold is refused rather than
// followed: a document type, and with it every entity but the five that XML has.
import { Fault } from '../../../core/fault.ts';

export interface XmlHandler {
  /** `name` without its prefix; `attributes` as written, for `eachAttribute`. */
  readonly open: (name: string, attributes: string) => void;
  /** As written, for `plainOf`. One text may come in several pieces. */
  readonly text: (raw: string) => void;
  /** Text in which nothing stands for something else. */
  readonly literal: (text: string) => void;
  readonly close: (name: string) => void;
}

export interface XmlReader {
  readonly write: (text: string) => void;
  /** Nothing follows. */
  readonly end: () => void;
}

/** A place that breaks the grammar; whoever reads the part says which part it is. */
export class XmlProblem extends Error {}

const LESS = 60;
const GREATER = 62;
const SLASH = 47;
const COLON = 58;
const BANG = 33;
const QUESTION = 63;
const DOUBLE = 34;
const SINGLE = 39;
const INCOMPLETE = -1;

/** Where the `>` of the tag that starts at `from` stands; one in a quoted value is none. */
function tagEnd(text: string, from: number): number {
  let quote = 0;
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quote !== 0) quote = code === quote ? 0 : quote;
    else if (code === GREATER) return at;
    else if (code === DOUBLE || code === SINGLE) quote = code;
    else if (code === LESS) throw new XmlProblem('a tag begins inside a tag');
  }
  return INCOMPLETE;
}

/** The name between `from` and `end`, and where it ends. A prefix is passed over. */
function nameEnd(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === SLASH) return at;
  }
  return end;
}

function localName(text: string, from: number, end: number): string {
  for (let at = from; at < end; at++) if (text.charCodeAt(at) === COLON) return text.slice(at + 1, end);
  return text.slice(from, end);
}

interface Markup {
  readonly opens: string;
  readonly closes: string;
}

const comment: Markup = { opens: '<!--', closes: '-->' };
const cdata: Markup = { opens: '<![CDATA[', closes: ']]>' };
const LONGEST_OPENING = cdata.opens.length;

/** What begins with `<!` at `at`, or INCOMPLETE where that cannot be told yet. */
function markupAt(text: string, at: number): Markup | typeof INCOMPLETE {
  const found = [comment, cdata].find(({ opens }) => text.startsWith(opens, at));
  if (found !== undefined) return found;
  const start = text.slice(at, at + LONGEST_OPENING);
  if ([comment, cdata].some(({ opens }) => opens.startsWith(start))) return INCOMPLETE;
  throw new XmlProblem('a document type is not read');
}

interface Progress {
  readonly open: string[];
  readonly handler: XmlHandler;
  readonly maxCharacters: number;
  /** What cannot be read before more comes. */
  rest: string;
  hasRoot: boolean;
}

function openTag(progress: Progress, text: string, at: number, end: number): void {
  const { open, handler } = progress;
  const isEmpty = text.charCodeAt(end - 1) === SLASH;
  const last = isEmpty ? end - 1 : end;
  const after = nameEnd(text, at + 1, last);
  const name = localName(text, at + 1, after);
  if (name === '') throw new XmlProblem('a tag has no name');
  if (open.length === 0 && progress.hasRoot) throw new XmlProblem('something follows the end');
  progress.hasRoot = true;
  handler.open(name, after === last ? '' : text.slice(after, last));
  if (isEmpty) handler.close(name);
  else open.push(name);
}

function closeTag({ open, handler }: Progress, text: string, at: number, end: number): void {
  const name = localName(text, at + 2, nameEnd(text, at + 2, end));
  if (open.pop() !== name) throw new XmlProblem(`</${name.slice(0, 50)}> closes what is not open`);
  handler.close(name);
}

function requireLength({ maxCharacters }: Progress, characters: number): void {
  if (characters <= maxCharacters) return;
  throw new Fault('LIMIT_EXCEEDED', `A text or tag has more than ${maxCharacters} characters.`, {
    extra: { limit: maxCharacters },
  });
}

/** Text that stands before a tag. */
function textUpTo(progress: Progress, text: string, at: number, end: number): void {
  if (at === end) return;
  requireLength(progress, end - at);
  const raw = text.slice(at, end);
  if (progress.open.length > 0) progress.handler.text(raw);
  else if (raw.trim() !== '') throw new XmlProblem('text stands outside of all elements');
}

/** A comment, or a text in which nothing stands for something else; answers where it ends, or INCOMPLETE. */
function skipMarkup({ open, handler }: Progress, text: string, at: number): number {
  const markup = markupAt(text, at);
  if (markup === INCOMPLETE) return INCOMPLETE;
  const start = at + markup.opens.length;
  const end = text.indexOf(markup.closes, start);
  if (end < 0) return INCOMPLETE;
  if (markup === cdata && open.length > 0) handler.literal(text.slice(start, end));
  return end + markup.closes.length;
}

/** Passes over what begins at `at`; answers where it ends, or INCOMPLETE. */
function step(progress: Progress, text: string, at: number): number {
  const second = text.charCodeAt(at + 1);
  if (second === BANG) return skipMarkup(progress, text, at);
  const end = second === QUESTION ? text.indexOf('?>', at) : tagEnd(text, at);
  if (end < 0) return INCOMPLETE;
  if (second === QUESTION) return end + 2;
  if (second === SLASH) closeTag(progress, text, at, end);
  else openTag(progress, text, at, end);
  return end + 1;
}

/** Reads as far as there are whole tags; answers where the first begins that is not. */
function readTags(progress: Progress, text: string): number {
  for (let at = 0; ; ) {
    const tag = text.indexOf('<', at);
    if (tag < 0 || tag + 1 === text.length) return at;
    textUpTo(progress, text, at, tag);
    const next = step(progress, text, tag);
    if (next === INCOMPLETE) return tag;
    at = next;
  }
}

export function xmlReader(handler: XmlHandler, maxCharacters: number): XmlReader {
  const progress: Progress = { open: [], handler, maxCharacters, rest: '', hasRoot: false };
  return {
    write: (more) => {
      const text = progress.rest === '' ? more : progress.rest + more;
      progress.rest = text.slice(readTags(progress, text));
      requireLength(progress, progress.rest.length);
    },
    end: () => {
      const isWhole = progress.hasRoot && progress.open.length === 0 && progress.rest.trim() === '';
      if (!isWhole) throw new XmlProblem('it ends before it is whole');
    },
  };
}
