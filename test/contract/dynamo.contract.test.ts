import { systemClock } from '../../lib/core/time.ts';
import { agreementSuite } from './suite/agreement.ts';
import { jobRowsSuite } from './suite/job-rows.ts';
import { openDynamoHarness } from './support/dynamo-table.ts';
import { now } from './support/jobs.ts';

const open = () => openDynamoHarness({ ...systemClock, now: () => now });

jobRowsSuite('DynamoDB', open);
agreementSuite('DynamoDB', 25, open);
