// Text in XLSX: one run or several with formats of their own, which are joined; what is there only to say how it is pronounced is left out.
import type { XmlHandler } from '../xml/reader.ts';
import { plainOf, unescapeOffice } from '../xml/text.ts';

/** Calls `done` with the text of each element called `name`. */
export function richText(name: string, done: (text: string) => void): XmlHandler {
  let text = '';
  let isInside = false;
  let isText = false;
  let phonetic = 0;
  return {
    open: (tag) => {
      if (tag === name) [isInside, text] = [true, ''];
      else if (tag === 'rPh') phonetic++;
      else if (tag === 't') isText = isInside && phonetic === 0;
    },
    text: (raw) => {
      if (isText) text += plainOf(raw);
    },
    literal: (plain) => {
      if (isText) text += plain;
    },
    close: (tag) => {
      if (tag === 't') isText = false;
      else if (tag === 'rPh') phonetic--;
      if (tag !== name) return;
      isInside = false;
      done(unescapeOffice(text));
    },
  };
}
