// What somebody must look at: doorbells that nobody could hear, work that is due and not looked at, changes not relayed.
import { Duration } from 'aws-cdk-lib';
import { type Alarm, type AlarmProps, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Alarm as CloudWatchAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type MetricName, metricNames, metricNamespace } from '../lib/config/metrics.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

export interface AlarmsProps {
  readonly settings: Settings;
  readonly relay: ServiceFunction;
  readonly relayFailures: Queue;
  readonly inboxFailures: Queue;
}

/** Twice the longest bound of recovery that the design promises while a lane is empty. */
const oldestDueLimit = 300;
/** The stream keeps a change for 24 hours; what the relay has not read by then is lost to it. */
const relayLimit = Duration.hours(1);

const published = (name: MetricName, service: string, statistic: string) =>
  new Metric({
    namespace: metricNamespace,
    metricName: metricNames[name],
    dimensionsMap: { service },
    period: Duration.minutes(1),
    statistic,
  });

export class Alarms extends Construct {
  constructor(scope: Construct, id: string, { settings, relay, relayFailures, inboxFailures }: AlarmsProps) {
    super(scope, id);
    const alarms = [
      this.#alarm('DeadLetters', {
        alarmDescription: 'A doorbell was received 100 times and its job never looked at: see the dead-letter log.',
        metric: published('deadLetters', 'dead-letter', 'Sum'),
        threshold: 1,
      }),
      this.#alarm('OldestDue', {
        alarmDescription: 'A job is past due for 5 minutes, or the sweep does not run: see the log of the reaper.',
        metric: published('oldestDueAge', 'reaper', 'Maximum'),
        threshold: oldestDueLimit,
        evaluationPeriods: 5,
        treatMissingData: TreatMissingData.BREACHING,
      }),
      this.#alarm('Backlogs', {
        alarmDescription: 'A lane or a flow has been behind for 3 minutes: GET /v1/health/backlog says which.',
        metric: published('backlogs', 'reaper', 'Maximum'),
        threshold: 1,
      }),
      this.#alarm('RelayFailures', {
        alarmDescription: 'Changes of jobs were given up by the relay: the failure queue names them.',
        metric: relayFailures.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
        threshold: 1,
      }),
      this.#alarm('RelayBehind', {
        alarmDescription:
          'Changes of jobs wait for the relay for an hour; after 24 hours they are lost to it: see its log.',
        metric: relay.lambda.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'Maximum' }),
        threshold: relayLimit.toMilliseconds(),
      }),
      this.#alarm('InboxFailures', {
        alarmDescription: 'A file was dropped in the inbox and did not become a job: the failure queue names it.',
        metric: inboxFailures.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
        threshold: 1,
      }),
    ];
    if (settings.alarmTopicArn === undefined) return;
    const action = new SnsAction(Topic.fromTopicArn(this, 'Topic', settings.alarmTopicArn));
    for (const alarm of alarms) alarm.addAlarmAction(action);
  }

  #alarm(id: string, props: Pick<AlarmProps, 'metric' | 'threshold'> & Partial<AlarmProps>): Alarm {
    return new CloudWatchAlarm(this, id, {
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...props,
    });
  }
}
