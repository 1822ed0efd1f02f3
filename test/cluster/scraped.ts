import { freePort } from '../support/dev-server.ts';
import { growth, startPrometheus } from '../support/prometheus.ts';

/** A Prometheus that scrapes three workers, while they are killed. */
export interface Scraping {
  /** Variables of each worker. */
  env: { [name: string]: string }[];
  /** Names of the alerts that fired at any time. */
  fired(): Promise<string[]>;
  /** Sentences; none if all laws hold. `requests`: those that the model's server had. */
  broken(requests: number): Promise<string[]>;
  stop(): Promise<void>;
}

const WORKERS = 3;
/** Requests to models, by the names that exporters of OpenTelemetry give. */
const REQUESTS = '{__name__=~"gen_ai_client_operation_duration(_seconds)?_count"}';

export async function startScraping(folder: string): Promise<Scraping> {
  const ports = await Promise.all(Array.from({ length: WORKERS }, freePort));
  const targets = ports.map((port) => `127.0.0.1:${port}`);
  const { samples, stop } = await startPrometheus(folder, targets);

  async function fired(): Promise<string[]> {
    const alerts = await samples('ALERTS{alertstate="firing"}');
    return [...new Set(alerts.map(({ metric }) => metric['alertname'] ?? ''))].toSorted();
  }

  async function broken(requests: number): Promise<string[]> {
    const measured = growth(await samples(REQUESTS));
    const up = await samples('up');
    const answering = up.filter(({ values }) => values.some(([, value]) => value === '1'));
    const silent = up.some(({ values }) => values.some(([, value]) => value === '0'));
    return [
      ...(answering.length === WORKERS ? [] : [`Prometheus could scrape ${answering.length} workers`]),
      // A killed worker takes along what was not scraped yet.
      ...(measured <= requests ? [] : [`${measured} model requests are measured, ${requests} were made`]),
      ...(measured > requests / 2 ? [] : [`only ${measured} of ${requests} model requests are measured`]),
      ...(silent === (await fired()).includes('ReloopWorkerDown')
        ? []
        : ['the alert of dead workers is wrong']),
    ];
  }

  return {
    env: ports.map((port) => ({
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    })),
    fired,
    broken,
    stop,
  };
}
