// docs/rules.md, from the rule table.
import { stateDiagram } from '../rule/diagram.ts';
import { ruleTable, transitionMatrix } from '../rule/matrix.ts';
import { jobRules } from './rules.ts';
import { jobStatuses, terminalStatuses } from './status.ts';

/** The page of the rule table: diagram, matrix, and every rule with guards and effects. Markdown. */
export const renderRuleDocs = (): string => `# The rules of a job

Generated from \`lib/job/rules.ts\` by \`npm run docs\`. Every write to a job row is one of these rules, as one conditional write.

\`\`\`mermaid
${stateDiagram(jobRules, terminalStatuses)}
\`\`\`

## Transitions

${transitionMatrix(jobRules, jobStatuses)}

## Guards and effects

Each rule also tests that the status is one that it leaves. Unless it is quiet it sets \`status\`, \`rule\` and \`writeId\` and adds 1 to \`version\`.
\`:name\` is a parameter of the write; \`−name\` removes an attribute. A quiet rule makes no event.

${ruleTable(jobRules)}
`;
