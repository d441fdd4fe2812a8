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
import { openDynamoHarness } from './support/dynamo-table.ts';
import { now } from './support/jobs.ts';

const open = () => openDynamoHarness({ ...systemClock, now: () => now });

jobRowsSuite('DynamoDB', open);
gatesSuite('DynamoDB', open);
indexesSuite('DynamoDB', open);
publishSuite('DynamoDB', open);
rowsOfBeforeSuite('DynamoDB', open);
submittingSuite('DynamoDB', open);
togetherSuite('DynamoDB', open);
waitingSuite('DynamoDB', open);
deadGroupsSuite('DynamoDB', open);
catalogSuite('DynamoDB', open);
agreementSuite('DynamoDB', 25, open);
