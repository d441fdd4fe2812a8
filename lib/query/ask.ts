// Everything that can be asked of a statement, done in this process. Services ask through query-process.ts.
import { checkQuery, explainQuery } from './check-query.ts';
import { writeResult } from './result-file.ts';
import { runQuery } from './run-query.ts';
import type { AskQuery, QueryAnswers, QueryRequest, QueryWant, QueryWorld } from './types.ts';

const does: { readonly [W in QueryWant]: (request: QueryRequest, world: QueryWorld) => Promise<QueryAnswers[W]> } = {
  rows: runQuery,
  check: checkQuery,
  plan: explainQuery,
  file: writeResult,
};

export const askHere: AskQuery = (want, request, world) => does[want](request, world);
