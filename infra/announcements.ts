// Announcements go to the account's default bus, where any rule may take them up.
import { Stack } from 'aws-cdk-lib';
import type { ServiceFunction } from './service-function.ts';

export function allowAnnounce(user: ServiceFunction): void {
  const bus = Stack.of(user).formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' });
  user.allow(['events:PutEvents'], [bus]);
}
