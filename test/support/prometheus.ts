import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from './cli.ts';
import { freePort } from './dev-server.ts';

export const hasPrometheus = finds('prometheus') && finds('promtool');
/** Reason for a skip, as the end of a test's title. */
export const prometheusTitle = hasPrometheus ? '' : ' (skipped: prometheus and promtool are not installed)';

interface Rules {
  groups: { rules: { alert: string; expr: string; for?: string }[] }[];
}

/** A time series: seconds since 1970 and the value, oldest first. */
export interface Series {
  metric: { [label: string]: string };
  values: [number, string][];
}

/** A real Prometheus (`apt-get install prometheus`) with the alert rules of docs/telemetry. The rules do not wait: each fires at once. */
export async function startPrometheus(folder: string, targets: readonly string[]) {
  const { groups } = parse(readFileSync(join(root, 'docs/telemetry/alerts.yaml'), 'utf8')) as Rules;
  const impatient = groups.map((group) => ({
    ...group,
    rules: group.rules.map(({ for: _, ...rule }) => rule),
  }));
  writeFileSync(join(folder, 'rules.yml'), stringify({ groups: impatient }));
  const config = {
    global: { scrape_interval: '500ms', evaluation_interval: '500ms' },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'reloop', static_configs: [{ targets }] }],
  };
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, stringify(config));
  execFileSync('promtool', ['check', 'config', file]);
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );

  async function api<T>(path: string): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const { data } = (await response.json()) as { data: T }; // Prometheus's own format
    return data;
  }

  return {
    /** Names of the alerts that fire now, sorted. */
    async firing(): Promise<string[]> {
      const { alerts } = await api<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts');
      const names = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
      return [...new Set(names)].toSorted();
    },
    /** Value of the first result of a query; undefined if there is none, or Prometheus does not answer yet. */
    async valueOf(query: string): Promise<number | undefined> {
      const { result } = await api<{ result: { value: [number, string] }[] }>(
        `query?query=${encodeURIComponent(query)}`,
      ).catch(() => ({ result: [] }));
      const value = result[0]?.value[1];
      return value === undefined ? undefined : Number(value);
    },
    /** All samples of the time series that a selector names. */
    async samples(selector: string): Promise<Series[]> {
      const { result } = await api<{ result: Series[] }>(
        `query?query=${encodeURIComponent(`${selector}[24h]`)}`,
      );
      return result;
    },
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

/** Growth of counters over the lives of the processes that count: a lower value is the first of a new process. */
export function growth(series: readonly Series[]): number {
  let sum = 0;
  for (const { values } of series) {
    let last = 0;
    for (const value of values.map(([, text]) => Number(text))) {
      sum += value < last ? value : value - last;
      last = value;
    }
  }
  return sum;
}

function finds(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
