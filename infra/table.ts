// The one table: on demand, so that it costs nothing idle; its stream is the outbox; its schema comes from lib/store.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { tableSchema } from '../lib/store/table.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

type AttributeName = keyof typeof tableSchema.attributes;
type IndexName = (typeof tableSchema.indexes)[number]['name'];

const attribute = (name: AttributeName) => ({
  name,
  type: tableSchema.attributes[name] === 'S' ? AttributeType.STRING : AttributeType.NUMBER,
});

export class JobTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: attribute(tableSchema.key.partition),
      sortKey: attribute(tableSchema.key.sort),
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType[tableSchema.stream],
      timeToLiveAttribute: tableSchema.timeToLive,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: settings.retain,
      removalPolicy: settings.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    for (const { name, partition, sort, projection } of tableSchema.indexes.slice(0, settings.indexes)) {
      this.table.addGlobalSecondaryIndex({
        indexName: name,
        partitionKey: attribute(partition),
        sortKey: attribute(sort),
        projectionType: ProjectionType[projection],
      });
    }
  }

  /** Single-item operations on the table's rows, e.g. `GetItem`; a transaction needs those of its parts. */
  allow(user: ServiceFunction, ...operations: readonly string[]): void {
    user.allow(
      operations.map((operation) => `dynamodb:${operation}`),
      [this.table.tableArn],
    );
  }

  /** What ends claims gives their places back, and wakes who waits for one. */
  allowRelease(user: ServiceFunction): void {
    this.allow(user, 'DeleteItem');
    this.allowQuery(user, 'park');
  }

  allowQuery(user: ServiceFunction, index: IndexName): void {
    user.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${index}`]);
  }
}
