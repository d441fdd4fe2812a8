// Every file that is generated, with what renders it. To add one, add a line here and run `npm run docs`.
import { renderOpenApi } from '../../lib/http/openapi.ts';
import { renderRuleDocs } from '../../lib/job/rule-docs.ts';
import { renderCost } from '../cost/page.ts';
import { renderConfiguration } from './configuration.ts';
import { renderProblems } from './problems.ts';
import { renderVectors } from './vectors.ts';

export interface GeneratedDoc {
  /** From the root of the checkout. */
  readonly file: string;
  /** The whole text; the same text for the same sources, wherever and whenever it runs. */
  readonly render: () => string | Promise<string>;
}

export const generatedDocs: readonly GeneratedDoc[] = [
  { file: 'docs/configuration.md', render: renderConfiguration },
  { file: 'docs/cost.md', render: renderCost },
  { file: 'docs/openapi.json', render: renderOpenApi },
  { file: 'docs/problems.md', render: renderProblems },
  { file: 'docs/rules.md', render: renderRuleDocs },
  { file: 'lib/ingest/vectors/code.ts', render: renderVectors },
];
