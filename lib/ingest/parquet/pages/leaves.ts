// The columns of single values that a schema comes to, in the order in which a row group holds them.
import { elementFields as element, fileFields } from '../fields.ts';
import { fieldsAt, integerAt, itemsAt } from '../thrift.ts';

/** How its values are stored. `levels`: the greatest that there are of each kind. */
export interface Leaf {
  /** Bytes of a value; undefined where each says how long it is, and 0 where it is no whole bytes. */
  readonly width: number | undefined;
  readonly levels: { readonly definition: number; readonly repetition: number };
}

const widths: Readonly<Record<number, number>> = { 0: 0, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8 };
const FIXED = 7;
const [OPTIONAL, REPEATED] = [1, 2];

/** `footer`: its bytes. Throws a TypeError for what is none. */
export function leavesIn(footer: Buffer): Leaf[] {
  const schema = fieldsAt(footer, 0).get(fileFields.schema);
  if (schema === undefined) throw new TypeError('the footer has no schema');
  const leaves: Leaf[] = [];
  // For each group that is open, how many elements it still has, and its levels.
  const open = [{ left: Infinity, definition: 0, repetition: 0 }];
  const [, ...elements] = itemsAt(footer, schema.start);
  for (const { start } of elements) {
    const fields = fieldsAt(footer, start);
    const numberIn = (field: number): number => {
      const span = fields.get(field);
      return span === undefined ? 0 : integerAt(footer, span.start);
    };
    while (open.at(-1)?.left === 0) open.pop();
    const above = open.at(-1) ?? { left: 0, definition: 0, repetition: 0 };
    above.left -= 1;
    const repetition = numberIn(element.repetition);
    const levels = {
      definition: above.definition + Number(repetition === OPTIONAL || repetition === REPEATED),
      repetition: above.repetition + Number(repetition === REPEATED),
    };
    const children = numberIn(element.children);
    if (children > 0) open.push({ left: children, ...levels });
    else leaves.push({ width: widthOf(numberIn(element.type), numberIn(element.width)), levels });
  }
  return leaves;
}

const widthOf = (type: number, fixed: number): number | undefined => (type === FIXED ? fixed : widths[type]);
