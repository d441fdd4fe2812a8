// What a key needs besides `jobs:write` to have a kind of this service run, at once or by a schedule: the scope of the route that submits it.
import { type Caller, requireScope } from './auth.ts';
import type { ApiScope } from './keys.ts';

const scopeOfKind: ReadonlyMap<string, ApiScope> = new Map([
  ['ingest', 'datasets:write'],
  ['inbox-drop', 'datasets:write'],
  ['derive', 'datasets:write'],
  ['rollback', 'datasets:write'],
  ['purge', 'datasets:write'],
  ['retention', 'datasets:write'],
  ['relation-pass', 'datasets:write'],
  ['describe-pass', 'datasets:write'],
  ['refresh-samples', 'datasets:write'],
  ['scrub-values', 'datasets:write'],
  ['query', 'query'],
]);

/** Throws FORBIDDEN, naming the scope, where the caller's key lacks it. */
export function requireKindScope(caller: Caller, kind: string): void {
  const scope = scopeOfKind.get(kind);
  if (scope !== undefined) requireScope(caller, scope);
}
