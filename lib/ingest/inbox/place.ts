// Where files are dropped: `inbox/<tenant>/<workspace>/<dataset>/[<table>/[…/]]<file>`. The inbox stands first in a key, since notifications,
// lifecycles and rights of whoever drops all go by how a key begins.
import { Fault } from '../../core/fault.ts';
import type { Scope, TenantId, WorkspaceId } from '../../core/ids.ts';
import { areaKey } from '../../core/objects.ts';
import { checkedFileName } from '../file-name.ts';
import { tableName } from '../table-name.ts';

const NAME = /^[A-Za-z0-9][\w.-]{0,127}$/;
/** What the service itself puts beside a drop, which is none. */
const PROBLEM = '.problem.json';
const MAX_KEY_BYTES = 1024;

export interface Drop {
  readonly scope: Scope;
  /** Behind the workspace. */
  readonly path: string;
}

export const inboxKey = (scope: Scope, path: string): string => `${areaKey('inbox', scope)}${path}`;

/** Undefined for a key that is no drop: a folder, a problem beside one, or what names no tenant and workspace. */
export function dropAt(key: string): Drop | undefined {
  const [area, tenant = '', workspace = '', ...rest] = key.split('/');
  const path = rest.join('/');
  if (area !== 'inbox' || !NAME.test(tenant) || !NAME.test(workspace) || tenant === 'system') return undefined;
  if (path === '' || path.endsWith('/') || path.endsWith(PROBLEM)) return undefined;
  return { scope: { tenant: tenant as TenantId, workspace: workspace as WorkspaceId }, path };
}

/** Beside the drop; undefined where the store takes no key that long. */
export function problemKey({ scope, path }: Drop, job: string): string | undefined {
  const key = `${inboxKey(scope, path)}.${job}${PROBLEM}`;
  return Buffer.byteLength(key) <= MAX_KEY_BYTES ? key : undefined;
}

export interface DropPlace {
  /** An id or a name. */
  readonly dataset: string;
  readonly table?: string;
  readonly file: string;
}

const refused = (detail: string): Fault => new Fault('NAME_NOT_ALLOWED', detail);

/** Throws the Fault NAME_NOT_ALLOWED. Folders below that of a table are passed over. */
export function placeOf(path: string): DropPlace {
  const [dataset = '', ...rest] = path.split('/');
  const file = rest.pop();
  const [table, ...folders] = rest;
  if (file === undefined)
    throw refused('It lies in no dataset: drop it at inbox/<tenant>/<workspace>/<dataset>/[<table>/]<file>.');
  for (const folder of [dataset, ...folders])
    if (folder === '' || folder === '.' || folder === '..' || /[\\\p{Cc}]/u.test(folder) || !folder.isWellFormed())
      throw refused(`The folder ${JSON.stringify(folder)} has no name that is taken.`);
  if (table !== undefined && !tableName.safeParse(table).success)
    throw refused(`The folder ${JSON.stringify(table)} names no table: use letters, digits and _, no digit first.`);
  return { dataset, ...(table !== undefined && { table }), file: checkedFileName(file) };
}
