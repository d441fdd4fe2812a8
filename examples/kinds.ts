// What a deployment takes in: `npm run dev -- --kinds examples/kinds.ts`, the same with `npm run cloud`, or examples/app.ts for AWS.
import { fingerprint } from './fingerprint.ts';
import { monthlyReport } from './monthly-report.ts';
import { purchase } from './purchase.ts';

export const kinds = [monthlyReport, fingerprint, purchase];
