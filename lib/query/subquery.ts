// A checked statement as a subquery, so that its rows can be limited, cast and copied by SQL of our own around it.
import type { DuckDBConnection } from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';
import { syntaxTree } from './syntax-tree.ts';

interface Tree {
  readonly error: boolean;
  readonly statements?: readonly {
    readonly node?: { readonly from_table?: { readonly subquery?: { readonly node?: unknown } } };
  }[];
}

/** More semicolons at the end than anybody writes. */
const mostEnds = 20;

export const open = 'FROM (\n';
export const close = '\n)';

/**
 * `sql` without the semicolons that end it, each a space so that places stay. The parser has to read it in brackets as the
 * very tree that it read without, which is the one that the firewall has seen. Throws SQL_INVALID otherwise.
 */
export async function asSubquery(connection: DuckDBConnection, sql: string): Promise<string> {
  const alone = JSON.stringify((await treeOf(connection, sql)).statements?.[0]?.node, withoutPlaces);
  let inner = sql;
  for (let ends = 0; ends <= mostEnds; ends += 1) {
    const { error, statements = [] } = await treeOf(connection, `SELECT * ${open}${inner}${close}`);
    const within = statements[0]?.node?.from_table?.subquery?.node;
    if (!error && statements.length === 1 && JSON.stringify(within, withoutPlaces) === alone) return inner;
    const end = inner.lastIndexOf(';');
    if (end < 0) break;
    inner = `${inner.slice(0, end)} ${inner.slice(end + 1)}`;
  }
  throw new Fault('SQL_INVALID', 'The statement cannot stand in brackets, which this format needs.');
}

const treeOf = async (connection: DuckDBConnection, sql: string) => (await syntaxTree(connection, sql)) as Tree;

const withoutPlaces = (key: string, value: unknown): unknown => (key === 'query_location' ? undefined : value);
