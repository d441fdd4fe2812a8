import { systemClock } from '../../lib/core/time.ts';
import { agreementSuite } from './suite/agreement.ts';
import { jobRowsSuite } from './suite/job-rows.ts';
import { now } from './support/jobs.ts';
import { openSqliteHarness } from './support/sqlite-file.ts';

const open = () => openSqliteHarness({ ...systemClock, now: () => now });

jobRowsSuite('SQLite', open);
agreementSuite('SQLite', 100, open);
