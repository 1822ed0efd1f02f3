import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { root } from '../support/cli.ts';
import { type CrashRig, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { eventOf } from '../support/rig.ts';
import { hasPrometheus, prometheusTitle, startPrometheus } from '../support/prometheus.ts';
import { act, answer } from '../support/scripts.ts';

/** A real Prometheus (`apt-get install prometheus`) that scrapes a real worker with the rules of docs/telemetry. */

const env: { [name: string]: string } = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'prometheus' };
let rig: CrashRig;
let ports: { temporal: number; otel: number };

beforeAll(async () => {
  ports = { temporal: await freePort(), otel: await freePort() };
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

test.runIf(hasPrometheus)(
  `each alert rule fires when it should, in a real Prometheus${prometheusTitle}`,
  { timeout: 240_000 },
  async () => {
    const worker = rig.startWorker(undefined, undefined, ['--metrics', String(ports.temporal)]);
    await worker.prints('Worker ready');
    const targets = [`127.0.0.1:${ports.temporal}`, `127.0.0.1:${ports.otel}`];
    const { stop, firing, valueOf } = await startPrometheus(rig.folder, targets);
    onTestFinished(stop);
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
