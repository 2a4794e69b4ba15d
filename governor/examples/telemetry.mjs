// A governor's doings as OpenTelemetry metrics and on diagnostics_channel.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { createGovernor } from '@tidegate/governor';
import { governedFetch } from '@tidegate/governor/fetch';
import { governorMetrics, publishDiagnostics } from '@tidegate/governor/telemetry';
import { startProvider } from './local-provider.mjs';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter });
const meters = new MeterProvider({ readers: [reader] });

const provider = await startProvider();
const governor = createGovernor();
governorMetrics(governor, meters.getMeter('example'));
publishDiagnostics(governor);
const hear = ({ key, previous, next }) => console.log(`${key}: ${previous} → ${next}`);
subscribe('tidegate:concurrency-changed', hear);

const send = governedFetch(governor, { provider: 'acme' });
const ask = () => send(`${provider.url}/chat/completions`, { method: 'POST', body: '{"model":"large"}' });
await Promise.all(Array.from({ length: 8 }, async () => (await ask()).text()));

await reader.forceFlush();
for (const { descriptor, dataPoints } of exporter.getMetrics()[0].scopeMetrics[0].metrics) {
  for (const { value, attributes } of dataPoints) {
    console.log(descriptor.name, typeof value === 'object' ? `${value.count} waits` : value, attributes);
  }
}
unsubscribe('tidegate:concurrency-changed', hear);
await meters.shutdown();
provider.close();
