import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterEach, expect, test } from 'vitest';
import { createTelemetry } from '../../../../worker/telemetry/opentelemetry.ts';

afterEach(() => metrics.disable());

test("the share of a budget is a gauge of each account, until the account's day or month is over", async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const server = { connection: undefined, namespace: 'default', searchAttributes: false };
  const { budgetCounted } = createTelemetry({
    contents: false,
    models: new Map(),
    priceOf: () => undefined,
    descriptionOf: () => '',
    server,
  });
  const [later, earlier] = [Date.now() + 60_000, Date.now() - 1];
  budgetCounted({ name: 'tenants', key: 'acme', share: 0.2, until: later });
  budgetCounted({ name: 'tenants', key: 'acme', share: 0.5, until: later });
  budgetCounted({ name: 'tenants', key: 'globex', share: 0.9, until: earlier });
  await reader.forceFlush();
  const points = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    .filter(({ descriptor }) => descriptor.name === 'reloop.budget.used_ratio')
    .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => ({ ...attributes, value })));
  expect(points).toEqual([{ 'reloop.budget.name': 'tenants', 'reloop.budget.key': 'acme', value: 0.5 }]);
});
