// What is written in XML in other characters than it means: attributes, entities, and Office's own escapes.
import { XmlProblem } from './reader.ts';

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const MOST_CODE_POINT = 0x10ffff;

function characterOf(reference: string): string {
  const isHex = reference.startsWith('#x');
  const digits = reference.slice(isHex ? 2 : 1);
  const code = (isHex ? /^[0-9a-fA-F]+$/ : /^[0-9]+$/).test(digits) ? Number.parseInt(digits, isHex ? 16 : 10) : -1;
  // Halves of a pair are written one by one by some programs; whether they fit is asked of the whole text.
  if (code >= 0 && code <= MOST_CODE_POINT)
    return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
  throw new XmlProblem(`&${reference.slice(0, 20)}; stands for no character`);
}

function entity(whole: string, body: string): string {
  if (!whole.endsWith(';')) throw new XmlProblem('an & stands by itself');
  if (body.startsWith('#')) return characterOf(body);
  const meant = Object.hasOwn(named, body) ? named[body] : undefined;
  if (meant === undefined) throw new XmlProblem(`&${body.slice(0, 20)}; is not defined`);
  return meant;
}

/** Text or the value of an attribute as it is meant, line ends as LF. */
export function plainOf(raw: string): string {
  const lines = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
  return lines.includes('&') ? lines.replace(/&([^;&\s]*);?/g, entity) : lines;
}

/** Office writes characters that XML cannot hold as `_x000D_`, and such a text itself as `_x005F_x000D_`. */
export const unescapeOffice = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9a-fA-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

const SPACE = 32;
const EQUALS = 61;

const skipSpace = (raw: string, from: number): number => {
  let at = from;
  while (at < raw.length && raw.charCodeAt(at) <= SPACE) at++;
  return at;
};

/** Where the name that starts at `from` ends. */
function nameEnd(raw: string, from: number): number {
  let at = from;
  while (at < raw.length && raw.charCodeAt(at) !== EQUALS && raw.charCodeAt(at) > SPACE) at++;
  return at;
}

/** Where the value behind a name begins, at its quote. */
function quoteAt(raw: string, nameEndsAt: number): number {
  const equals = skipSpace(raw, nameEndsAt);
  return raw.charCodeAt(equals) === EQUALS ? skipSpace(raw, equals + 1) : raw.length;
}

/** Each attribute of a tag: its name without the prefix, its value as written, and the prefix, empty where there is none. */
export function eachAttribute(raw: string, visit: (name: string, value: string, prefix: string) => void): void {
  for (let at = skipSpace(raw, 0); at < raw.length; at = skipSpace(raw, at)) {
    const end = nameEnd(raw, at);
    const open = quoteAt(raw, end);
    const quote = raw[open];
    const close = quote === '"' || quote === "'" ? raw.indexOf(quote, open + 1) : -1;
    if (close < 0) throw new XmlProblem('an attribute has no value in quotes');
    const name = raw.slice(at, end);
    const colon = name.indexOf(':');
    visit(name.slice(colon + 1), raw.slice(open + 1, close), colon < 0 ? '' : name.slice(0, colon));
    at = close + 1;
  }
}

/** The attributes of a tag by name, as they are meant. */
export function attributesOf(raw: string): Readonly<Record<string, string | undefined>> {
  const found: Record<string, string> = Object.create(null) as Record<string, string>;
  eachAttribute(raw, (name, value, prefix) => {
    if (prefix !== 'xmlns') found[name] = plainOf(value);
  });
  return found;
}
