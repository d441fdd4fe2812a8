// The error catalogue as a page for API users.
import { faultCatalogue } from '../../lib/core/fault.ts';

export function renderProblems(): string {
  const rows = Object.entries(faultCatalogue).map(
    ([code, { status, title, next, retriable }]) =>
      `| \`${code}\` | ${status} | ${title} | ${next} | ${retriable ? 'yes' : 'no'} |`,
  );
  return `# Problems

Every error is an RFC 9457 problem (\`application/problem+json\`) with one of these codes in \`code\`; \`detail\` says what is
particular to the case. The same codes stand in the \`error\` of a job that failed. Generated from \`lib/core/fault.ts\`.

| code | status | what happened | what to do next | may work later unchanged |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
