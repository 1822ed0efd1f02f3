import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A span as the official protobuf has it, with its attributes as an object. */
export interface RecordedSpan {
  name: string;
  traceId: string;
  spanId: string;
  /** '' for a root. */
  parentId: string;
  startMs: number;
  endMs: number;
  attributes: { [name: string]: unknown };
  events: string[];
  error: string | undefined;
  /** `process.pid` of the worker that sent it. */
  sender: unknown;
}

/** A point of a metric; `value`: a sum, a gauge, or the sum of a histogram. */
export interface RecordedPoint {
  metric: string;
  attributes: { [name: string]: unknown };
  value: number;
  sender: unknown;
}

/** A server that takes OTLP over HTTP and keeps what it was sent. */
export interface OtlpServer {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: RecordedSpan[];
  /** The latest value of each series of each sender. */
  points(metric: string): RecordedPoint[];
  close(): Promise<void>;
}

// The messages of opentelemetry-proto, as the OpenTelemetry authors have generated them.
const require = createRequire(import.meta.url);
const { opentelemetry } = require('otlp-proto/build/src/generated/root.js') as {
  opentelemetry: { proto: { collector: { [service: string]: { v1: { [message: string]: Message } } } } };
};

interface Message {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: object): unknown;
}

export async function startOtlpServer(): Promise<OtlpServer> {
  const spans: RecordedSpan[] = [];
  const latest = new Map<string, RecordedPoint>();
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.url === '/v1/traces')
        spans.push(...readSpans(decoded('trace', 'ExportTraceServiceRequest', body)));
      else
        for (const point of readPoints(decoded('metrics', 'ExportMetricsServiceRequest', body)))
          latest.set(JSON.stringify([point.metric, point.sender, point.attributes]), point);
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    points: (metric) => [...latest.values()].filter((point) => point.metric === metric),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function decoded(service: string, name: string, body: Buffer): Wire {
  const message = opentelemetry.proto.collector[service]?.v1[name];
  if (message === undefined) throw new Error(`No message ${name}`);
  const options = { longs: Number, bytes: Buffer, arrays: true };
  return message.toObject(message.decode(body), options) as Wire; // as the message is defined
}

/** Decoded protobuf: fields that a message has, and empty lists. */
type Wire = { [field: string]: Wire & Wire[] & string & number & Buffer };

function readSpans({ resourceSpans }: Wire): RecordedSpan[] {
  return [...(resourceSpans ?? [])].flatMap(({ resource, scopeSpans }) =>
    [...(scopeSpans ?? [])].flatMap(({ spans }) =>
      [...(spans ?? [])].map((span) => ({
        name: String(span['name']),
        traceId: hex(span['traceId']),
        spanId: hex(span['spanId']),
        parentId: hex(span['parentSpanId']),
        startMs: Number(span['startTimeUnixNano']) / 1e6,
        endMs: Number(span['endTimeUnixNano']) / 1e6,
        attributes: attributesOf(span),
        events: [...(span['events'] ?? [])].map(({ name }) => String(name)),
        error: span['status']?.['code'] === 2 ? String(span['status']['message']) : undefined,
        sender: attributesOf(resource ?? {})['process.pid'],
      })),
    ),
  );
}

function readPoints({ resourceMetrics }: Wire): RecordedPoint[] {
  return [...(resourceMetrics ?? [])].flatMap(({ resource, scopeMetrics }) =>
    [...(scopeMetrics ?? [])].flatMap(({ metrics }) =>
      [...(metrics ?? [])].flatMap(({ name, sum, gauge, histogram }) =>
        [...((sum ?? gauge ?? histogram)?.['dataPoints'] ?? [])].map((point) => ({
          metric: String(name),
          attributes: attributesOf(point),
          value: Number(point['sum'] ?? point['asDouble'] ?? point['asInt'] ?? 0),
          sender: attributesOf(resource ?? {})['process.pid'],
        })),
      ),
    ),
  );
}

function attributesOf({ attributes }: Wire): { [name: string]: unknown } {
  return Object.fromEntries([...(attributes ?? [])].map(({ key, value }) => [String(key), valueOf(value)]));
}

function valueOf(value: Wire | undefined): unknown {
  const list = value?.['arrayValue']?.['values'];
  if (list !== undefined) return [...list].map(valueOf);
  return value && Object.values(value)[0];
}

function hex(bytes: Buffer | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString('hex');
}
