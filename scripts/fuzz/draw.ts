// Values that a schema allows, and some that it nearly allows: for options of uploads, and for bodies and queries of requests.
import * as z from 'zod';
import type { Dice } from './dice.ts';

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly $ref?: string;
}

const texts: readonly [string, ...string[]] = [
  ...([
    'a',
    'id',
    'name',
    't',
    'NA',
    '-',
    '',
    ' ',
    ';',
    '|',
    '\t',
    ':',
    ',',
    '"',
    '\0',
    '\ufeff',
    '../x',
    '__proto__',
    'é',
  ] as const),
  ...[
    'SELECT 1 AS a',
    'SELECT * FROM t',
    '2026-01-01T00:00:00Z',
    '$.a',
    'Sheet1',
    'x'.repeat(300),
    'diagnostic.echo',
    'ingest',
  ],
];
const numbers: readonly [number, ...number[]] = [0, 1, 2, 3, 10, -1, 1.5, 1e9, 2 ** 53, 1e308];

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

function drawObject(dice: Dice, schema: JsonSchema, depth: number): unknown {
  const drawn: Record<string, unknown> = {};
  for (const [name, of] of Object.entries(schema.properties ?? {})) {
    const wanted = schema.required?.includes(name) === true ? !dice.once(30) : dice.once(4);
    if (wanted) drawn[name] = drawValue(dice, of, depth + 1);
  }
  const rest = schema.additionalProperties;
  if (isObject(rest) && dice.once(2)) drawn[dice.pick(texts)] = drawValue(dice, rest, depth + 1);
  return drawn;
}

function drawNumber(dice: Dice, { minimum, maximum }: JsonSchema): number {
  if (minimum === undefined || maximum === undefined || dice.once(10)) return dice.pick(numbers);
  return minimum + dice.below(Math.min(maximum - minimum, 20) + 1);
}

function drawKind(dice: Dice, schema: JsonSchema, depth: number): unknown {
  const { type } = schema;
  switch (typeof type === 'object' ? dice.oneOf(type) : type) {
    case 'object':
      return drawObject(dice, schema, depth);
    case 'array':
      return Array.from({ length: dice.below(4) }, () => drawValue(dice, schema.items ?? {}, depth + 1));
    case 'integer':
    case 'number':
      return drawNumber(dice, schema);
    case 'boolean':
      return dice.once(2);
    case 'null':
      return null;
    default:
      return dice.pick(texts);
  }
}

const MOST_DEPTH = 6;

function drawValue(dice: Dice, schema: JsonSchema, depth: number): unknown {
  if (depth > MOST_DEPTH) return null;
  if (dice.once(40)) return dice.pick<unknown>([null, [], {}, -1, 'x', true]);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return dice.oneOf(schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return drawValue(dice, dice.oneOf(branches) ?? {}, depth + 1);
  return drawKind(dice, schema, depth);
}

/** A drawer of values; what a schema cannot say in JSON is drawn as a text. */
export function drawerOf(schema: z.ZodType): (dice: Dice) => unknown {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    cycles: 'ref',
  }) as JsonSchema;
  return (dice) => drawValue(dice, unwrapped(json), 0);
}

/** Schemas with an id come as a reference to a definition of their own; one that leads back into itself is drawn as anything there. */
function unwrapped(json: JsonSchema & { readonly $defs?: Readonly<Record<string, JsonSchema>> }): JsonSchema {
  const within = (value: unknown, open: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((each) => within(each, open));
    if (!isObject(value)) return value;
    const { $ref } = value;
    if ($ref !== undefined) return open.includes($ref) ? {} : within(definitionOf($ref), [...open, $ref]);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, within(each, open)]));
  };
  const definitionOf = (ref: string): unknown => json.$defs?.[ref.replace('#/$defs/', '')] ?? {};
  const { $defs: _definitions, ...root } = json;
  return within(root, []) as JsonSchema;
}
