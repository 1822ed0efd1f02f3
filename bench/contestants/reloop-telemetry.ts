/** Reloop with telemetry: each span is made and batched by OpenTelemetry's SDK, and sent nowhere. */
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { traceIds } from 'reloop';
import { serveAgent } from './reloop-agents.ts';

const nowhere: SpanExporter = {
  export: (_spans, done) => done({ code: 0 }),
  shutdown: () => Promise.resolve(),
};
new NodeSDK({ idGenerator: traceIds, spanProcessors: [new BatchSpanProcessor(nowhere)] }).start();

await serveAgent({ telemetry: true });
