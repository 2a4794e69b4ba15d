/** What a governor does, for whoever watches: `@tidegate/governor/telemetry`. */

export { publishDiagnostics } from './adapters/diagnostics.js';
export { type GovernorMetricsOptions, governorMetrics, type MetricsMeter } from './adapters/metrics.js';
export type {
  RequestAdmitted,
  RequestEvent,
  RequestOutcome,
  RequestQueued,
  RequestSettled,
  RequestWithdrawn,
} from './gate/request-events.js';
