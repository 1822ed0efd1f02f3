import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { root } from '../support/cli.ts';
import { type CrashRig, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { eventOf } from '../support/rig.ts';
import { act, answer } from '../support/scripts.ts';

/** A real Prometheus (`apt-get install prometheus`) that scrapes a real worker with the rules of docs/telemetry. */

const env: { [name: string]: string } = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'prometheus' };
const rules = join(root, 'docs/telemetry/alerts.yaml');
const isThere = finds('prometheus') && finds('promtool');
let rig: CrashRig;
let ports: { temporal: number; otel: number; prometheus: number };

beforeAll(async () => {
  ports = { temporal: await freePort(), otel: await freePort(), prometheus: await freePort() };
  env['OTEL_EXPORTER_PROMETHEUS_HOST'] = '127.0.0.1';
  env['OTEL_EXPORTER_PROMETHEUS_PORT'] = String(ports.otel);
  rig = await startCrashRig({
    config: 'test/fixtures/telemetry.config.ts',
    env,
    replies({ body }) {
      const text = JSON.stringify(body);
      if (text.includes('gpt-ill')) return { status: 500, error: { message: 'out of order' } };
      return text.includes('paid 5') ? answer('paid') : act('pay', '5');
    },
  });
});
afterAll(() => rig.stop());

function graphs(): string[] {
  const { panels } = JSON.parse(readFileSync(join(root, 'docs/telemetry/grafana.json'), 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

interface Rules {
  groups: { rules: { alert: string; expr: string; for?: string }[] }[];
}

test.runIf(isThere)(
  'each alert rule fires when it should, in a real Prometheus',
  { timeout: 240_000 },
  async () => {
    const worker = rig.startWorker(undefined, undefined, ['--metrics', String(ports.temporal)]);
    await worker.prints('Worker ready');
    await startPrometheus();
    await expect.poll(() => valueOf(`sum(up{job="reloop"})`)).toBe(2);
    await expect.poll(firing).toEqual([]);

    const payment = await rig.client.start('payer', 'Pay 5.');
    await eventOf(payment.events(), 'waiting');
    const ill = await rig.client.start('ill', 'Are you well?');
    await eventOf(ill.events(), 'waiting');
    await expect.poll(firing).toEqual(['ReloopModelOutage', 'ReloopRunsWaitTooLong']);
    await payment.decide('1.1', { type: 'resolve', output: 'paid 5' });
    expect(await payment.result()).toMatchObject({ output: 'paid' });
    await expect.poll(() => valueOf('sum(reloop_doubts_total)')).toBe(1);
    await expect.poll(firing).toContain('ReloopCallsInDoubt');
    // Each graph of the dashboard has something to show.
    const shown = async () => {
      const values = await Promise.all(graphs().map(async (expr) => [expr, await valueOf(expr)] as const));
      return values.filter(([, value]) => value === undefined).map(([expr]) => expr);
    };
    await expect.poll(shown).toEqual([]);

    await worker.killGroup();
    await expect.poll(firing).toEqual(expect.arrayContaining(['ReloopNobodyPolls', 'ReloopWorkerDown']));
  },
);

/** The rules as they are, but without waiting: each fires at once. */
async function startPrometheus(): Promise<void> {
  const { groups } = parse(readFileSync(rules, 'utf8')) as Rules;
  const impatient = groups.map((group) => ({
    ...group,
    rules: group.rules.map(({ for: _, ...rule }) => rule),
  }));
  writeFileSync(join(rig.folder, 'rules.yml'), stringify({ groups: impatient }));
  const targets = [`127.0.0.1:${ports.temporal}`, `127.0.0.1:${ports.otel}`];
  const config = {
    global: { scrape_interval: '500ms', evaluation_interval: '500ms' },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'reloop', static_configs: [{ targets }] }],
  };
  const file = join(rig.folder, 'prometheus.yml');
  writeFileSync(file, stringify(config));
  execFileSync('promtool', ['check', 'config', file]);
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(rig.folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${ports.prometheus}`,
    ],
    { stdio: 'ignore' },
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
}

async function api<T>(path: string): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${ports.prometheus}/api/v1/${path}`);
  const { data } = (await response.json()) as { data: T }; // Prometheus's own format
  return data;
}

async function firing(): Promise<string[]> {
  const { alerts } = await api<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts');
  const names = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
  return [...new Set(names)].toSorted();
}

async function valueOf(query: string): Promise<number | undefined> {
  const { result } = await api<{ result: { value: [number, string] }[] }>(
    `query?query=${encodeURIComponent(query)}`,
  ).catch(() => ({ result: [] }));
  const value = result[0]?.value[1];
  return value === undefined ? undefined : Number(value);
}

function finds(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
