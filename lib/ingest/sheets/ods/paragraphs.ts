// The text of an OpenDocument cell: its paragraphs as lines, spaces as OpenDocument counts them, without comments and pictures.
import { attributesOf } from '../xml/text.ts';

export interface ParagraphReader {
  readonly begin: () => void;
  readonly open: (name: string, raw: string) => void;
  readonly add: (plain: string) => void;
  readonly close: (name: string) => void;
  /** Undefined where there is no paragraph. */
  readonly text: () => string | undefined;
}

const besides: ReadonlySet<string> = new Set(['annotation', 'frame', 'custom-shape', 'g', 'control', 'detective']);
const MOST_SPACES = 32_767;

/** Spaces that a tag stands for; others have to be one only. */
function spaceOf(name: string, raw: string): string {
  if (name === 'tab') return '\t';
  if (name === 'line-break') return '\n';
  if (name !== 's') return '';
  const count = Number(attributesOf(raw)['c'] ?? 1);
  return ' '.repeat(Number.isInteger(count) && count > 0 ? Math.min(count, MOST_SPACES) : 1);
}

export function paragraphs(): ParagraphReader {
  let lines: string[] = [];
  let isParagraph = false;
  let skipped = 0;
  const append = (text: string): void => {
    const last = lines.length - 1;
    lines[last] = (lines[last] ?? '') + text;
  };
  return {
    begin: () => {
      lines = [];
      isParagraph = false;
      skipped = 0;
    },
    open: (name, raw) => {
      if (besides.has(name)) skipped++;
      if (skipped > 0) return;
      if (name === 'p') {
        isParagraph = true;
        lines.push('');
      } else if (isParagraph) append(spaceOf(name, raw));
    },
    add: (plain) => {
      if (!isParagraph || skipped > 0) return;
      const spaced = plain.replace(/[\t\n\r ]+/g, ' ');
      append(lines.at(-1) === '' ? spaced.trimStart() : spaced);
    },
    close: (name) => {
      if (besides.has(name)) skipped--;
      else if (name === 'p' && skipped === 0) isParagraph = false;
    },
    text: () => (lines.length === 0 ? undefined : lines.join('\n')),
  };
}
