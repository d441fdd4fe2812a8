// The tour: a dataset, real files, their tables, a question each. Over HTTP only; answers false if anything is not as it should be.
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../../lib/core/time.ts';
import { type Api, createApi } from './api.ts';
import { explore } from './explore.ts';
import { type DemoFile, directFiles, largeFile, questions, workbook } from './files.ts';
import { follow } from './follow.ts';
import { done, failed, heading, say, table } from './show.ts';
import { uploadDirectly, uploadInParts } from './upload.ts';

interface TableDetail {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly profile?: Profile }[];
}
interface Profile {
  readonly nulls: number;
  readonly distinct: number;
  readonly distinctIsExact: boolean;
  readonly min: string | null;
  readonly max: string | null;
  readonly topValues: readonly { readonly value: string; readonly count: number }[];
}
interface QueryAnswer {
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly elapsedMs: number;
}

export interface Target {
  readonly url: string;
  readonly apiKey: string;
}

/** Whether every table and every answer was the right one. */
export async function tour(target: Target): Promise<boolean> {
  const api = createApi(target.url, target.apiKey);
  const name = `demo-${systemClock.now().toString(36)}`;
  const dataset = await api.post<{ id: string }>('/v1/datasets', { name });
  heading(`Dataset ${name}`);
  const checks: boolean[] = [];
  for (const file of [...directFiles, workbook]) {
    heading(`${file.name} (${file.about}), in one request`);
    checks.push(await ingest(api, dataset.id, file, uploadDirectly));
  }
  heading(`${largeFile.name} (${largeFile.about}), in presigned parts`);
  checks.push(await ingest(api, dataset.id, largeFile, uploadInParts));
  for (const question of questions) checks.push(await ask(api, dataset.id, question));
  checks.push(await explore(api, dataset.id));
  whatNext();
  return checks.every(Boolean);
}

async function ingest(api: Api, dataset: string, file: DemoFile, upload: typeof uploadDirectly): Promise<boolean> {
  const job = await follow(api, await upload(api, dataset, file));
  if (job.status !== 'succeeded' || job.result === undefined) return false;
  const { tables, warnings } = job.result;
  for (const made of tables) await showTable(api, dataset, made.table);
  for (const warning of warnings) say(`  ! ${warning.code}: ${warning.message}`);
  const rows = tables.map(({ rowCount }) => rowCount);
  if (rows.join() === file.rows.join()) return true;
  failed(`${file.rows.join(' and ')} rows were expected, ${rows.join(' and ')} came`);
  return false;
}

async function showTable(api: Api, dataset: string, id: string): Promise<void> {
  const detail = await api.get<TableDetail>(`/v1/datasets/${dataset}/tables/${id}`);
  say(`  Table ${detail.name}: ${detail.rowCount.toLocaleString('en')} rows`);
  table(
    ['column', 'type', 'nulls', 'distinct', 'min', 'max', 'most often'],
    detail.columns.map(({ name, type, profile }) => [
      name,
      type,
      profile?.nulls,
      profile && `${profile.distinctIsExact ? '' : '~'}${profile.distinct}`,
      profile?.min,
      profile?.max,
      profile?.topValues[0]?.value,
    ]),
  );
}

async function ask(api: Api, dataset: string, question: (typeof questions)[number]): Promise<boolean> {
  heading(question.ask);
  say(`  ${question.sql}`);
  const started = performance.now();
  const answer = await api.post<QueryAnswer>(`/v1/datasets/${dataset}/query`, { sql: question.sql });
  table(
    answer.columns.map((column) => column.name),
    answer.rows,
  );
  const times = `${answer.elapsedMs} ms in DuckDB, ${Math.round(performance.now() - started)} ms over HTTP`;
  if (isDeepStrictEqual(answer.rows, question.answer)) {
    done(times);
    return true;
  }
  failed(`not the right answer, which is ${JSON.stringify(question.answer)}`);
  return false;
}

function whatNext(): void {
  heading('What next');
  say('  npm run dev      the same in one process, up in seconds; it prints a key and three curl lines');
  say('  npm run cloud    the real stack on the local cloud, in the foreground, with the same lines');
  say(
    '  docs/            protocol.md: how a job lives; pipelines.md: write your own; deploy.md: to AWS; openapi.json: every route',
  );
}
