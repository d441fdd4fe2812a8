// One look at a table that lies in Parquet files, for all stages that need to know something of its values: by one engine, in as few scans as
// there are questions that need an earlier answer.
import { withEngines } from '../engine/engine.ts';
import { lookAtLarge } from './large.ts';
import { seedOf } from './lots.ts';
import { type Looked, type LookRequest, widthIn } from './request.ts';
import { isSmall, lookAtSmall } from './small.ts';
import { bytesOf, sourceOf } from './source.ts';
import { valuesWanted } from './values.ts';

/** What is wanted; the rest is empty. The same table and seed give the same answer. */
export const lookAtTable = (request: LookRequest): Promise<Looked> =>
  withEngines(request, async (engines) => {
    const { parquetPaths, columns, rowCount, wanted } = request;
    const bytes = await bytesOf(engines[0], parquetPaths, columns);
    const values = valuesWanted(columns, (column) => widthIn(bytes, rowCount, column));
    const looking = { engines, request, seed: seedOf(request.seed), values, bytes };
    const source = sourceOf(parquetPaths, columns);
    const look = isSmall(rowCount, bytes) ? lookAtSmall : lookAtLarge;
    const { columns: found, rows } = await look(looking, source);
    return {
      values: wanted.has('values') ? found.map(({ values }) => values) : [],
      rows,
      profile: found.flatMap(({ profile }) => profile ?? []),
      texts: wanted.has('texts') ? found.map(({ texts }) => texts) : [],
    };
  });
