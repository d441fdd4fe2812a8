// Metrics as lines of the log (embedded metric format): no call, no permission and no cost where nothing happens.
import { MetricUnit, Metrics } from '@aws-lambda-powertools/metrics';
import { type MetricName, metricNames, metricNamespace } from '../config/metrics.ts';

const units = {
  deadLetters: MetricUnit.Count,
  oldestDueAge: MetricUnit.Seconds,
  backlogs: MetricUnit.Count,
} as const satisfies Record<MetricName, string>;

export interface FunctionMetrics {
  /** Writes one value at once. */
  publish(name: MetricName, value: number): void;
}

export function createMetrics(service: string): FunctionMetrics {
  const metrics = new Metrics({ namespace: metricNamespace, serviceName: service });
  return {
    publish: (name, value) => {
      metrics.addMetric(metricNames[name], units[name], value);
      metrics.publishStoredMetrics();
    },
  };
}
