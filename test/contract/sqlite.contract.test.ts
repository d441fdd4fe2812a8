import { systemClock } from '../../lib/core/time.ts';
import { agreementSuite } from './suite/agreement.ts';
import { catalogSuite } from './suite/catalog.ts';
import { deadGroupsSuite } from './suite/dead-groups.ts';
import { gatesSuite } from './suite/gates.ts';
import { indexesSuite } from './suite/indexes.ts';
import { jobRowsSuite } from './suite/job-rows.ts';
import { publishSuite } from './suite/publish.ts';
import { rowsOfBeforeSuite } from './suite/rows-of-before.ts';
import { submittingSuite } from './suite/submitting.ts';
import { togetherSuite } from './suite/together.ts';
import { waitingSuite } from './suite/waiting.ts';
import { now } from './support/jobs.ts';
import { openSqliteHarness } from './support/sqlite-file.ts';

const open = () => openSqliteHarness({ ...systemClock, now: () => now });

jobRowsSuite('SQLite', open);
gatesSuite('SQLite', open);
indexesSuite('SQLite', open);
publishSuite('SQLite', open);
rowsOfBeforeSuite('SQLite', open);
submittingSuite('SQLite', open);
togetherSuite('SQLite', open);
waitingSuite('SQLite', open);
deadGroupsSuite('SQLite', open);
catalogSuite('SQLite', open);
agreementSuite('SQLite', 100, open);
