// What the cells of an OpenDocument sheet hold: the value stands in attributes, the text in paragraphs.
import { numberText } from '../cells/numbers.ts';
import { isoValue } from '../cells/serials.ts';
import type { Cell } from '../types.ts';

/** Attributes by name, those of LibreOffice's own namespace with their prefix. */
export type CellAttributes = Readonly<Record<string, string | undefined>>;

type Value = Pick<Cell, 'kind' | 'text' | 'note'>;

const period = /^(-?)P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)(\.[0-9]+)?S)?)?$/;
const two = (value: number): string => String(value).padStart(2, '0');

/** `PT36H5M0S` is `36:05:00`. */
function timeValue(written: string): Value {
  const [whole, sign = '', days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] =
    period.exec(written) ?? [];
  if (whole === undefined) return { kind: 'text', text: written };
  const all = 24 * Number(days) + Number(hours);
  const rest = fraction.replace(/\.?0+$/, '');
  const text = `${sign}${two(all)}:${two(Number(minutes))}:${two(Number(seconds))}${rest}`;
  return { kind: all < 24 && sign === '' ? 'time' : 'duration', text };
}

function numberValue({ 'value-type': type, value = '', currency }: CellAttributes): Value {
  const text = numberText(value);
  if (text === undefined) return { kind: 'text', text: value };
  if (type === 'percentage') return { kind: 'number', text, note: { kind: 'percent', of: '%' } };
  if (type === 'currency') return { kind: 'number', text, note: { kind: 'currency', of: currency ?? '' } };
  return { kind: 'number', text };
}

const textValue = (text: string): Value => ({ kind: text === '' ? 'empty text' : 'text', text });

/** Undefined for a cell that holds nothing. `paragraphs` is what it shows. */
export function valueOf(attributes: CellAttributes, paragraphs: string | undefined): Value | undefined {
  if (attributes['calcext:value-type'] === 'error') return { kind: 'error', text: paragraphs ?? '' };
  switch (attributes['value-type']) {
    case 'float':
    case 'percentage':
    case 'currency':
      return numberValue(attributes);
    case 'date':
      return isoValue(attributes['date-value'] ?? '', { shows: 'number' });
    case 'time':
      return timeValue(attributes['time-value'] ?? '');
    case 'boolean':
      return { kind: 'boolean', text: attributes['boolean-value'] === 'true' ? 'true' : 'false' };
    case 'string':
      return textValue(attributes['string-value'] ?? paragraphs ?? '');
    default:
      if (paragraphs !== undefined && paragraphs !== '') return textValue(paragraphs);
      return attributes['formula'] === undefined ? undefined : { kind: 'unknown', text: '' };
  }
}
