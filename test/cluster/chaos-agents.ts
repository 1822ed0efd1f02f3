import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import { NodeSDK } from '@opentelemetry/sdk-node';
import {
  type ToolContext,
  agentTool,
  defineAgent,
  defineConfig,
  defineTool,
  human,
  traceIds,
  z,
} from 'reloop';
import { Random } from '../simulation/random.ts';
import { type Entry, openLedger } from './ledger.ts';

/** The agents of `npm run chaos`. Each worker makes choices of its own, from the seed and its number. */
const dice = new Random(Number(process.env['CHAOS_SEED']));
const ledger = openLedger(String(process.env['CHAOS_LEDGER']));

// The OTEL_* variables say where to.
const isMeasured = process.env['OTEL_METRICS_EXPORTER'] !== undefined;
if (isMeasured) new NodeSDK({ idGenerator: traceIds }).start();

const input = z.object({ n: z.number() });
type Run = (n: number, context: ToolContext) => unknown;

async function write(type: Entry['type'], tool: string, n: number, context: ToolContext): Promise<void> {
  const { workflowExecution, activityId } = activityInfo();
  const { workflowId: root = '', runId = '' } = workflowExecution ?? {};
  const { callId: call, idempotencyKey: key } = context;
  await ledger.write({ type, tool, n, root, runId, activityId, call, key, at: Date.now() });
}

function tool(name: string, run: Run, more: object = {}) {
  return defineTool({
    name,
    description: name,
    input,
    timeout: '15s',
    retry: { maxAttempts: 3, initialInterval: 200 },
    async run({ n }, context) {
      await write('began', name, n, context);
      return run(n, context);
    },
    ...more,
  });
}

function once(name: string, more: object = {}) {
  const run: Run = async (n, context) => {
    await sleep(dice.int(0, 600));
    if (dice.chance(0.03)) throw new Error(`${name} fails before its effect`);
    await context.commit();
    await write('effect', name, n, context);
    await sleep(dice.int(0, 600));
    if (dice.chance(0.03)) throw new Error(`${name} fails after its effect`);
    return `${name} ${n}`;
  };
  return tool(name, run, { effects: 'once', ...more });
}

const tools = [
  tool('read', async (n) => {
    await sleep(dice.int(0, 300));
    return `read ${n} ${'.'.repeat(n % 700)}`;
  }),
  tool('flaky', async (n) => {
    await sleep(dice.int(0, 50));
    if (dice.chance(0.4)) throw new Error(`flaky ${n}`);
    return `flaky ${n}`;
  }),
  tool(
    'pay',
    async (n, context) => {
      await write('effect', 'pay', n, context);
      return `pay ${n}`;
    },
    { approval: 'always' },
  ),
  once('mail'),
  once('order', {
    async reconcile({ n }: { n: number }, { idempotencyKey }: ToolContext) {
      const isDone = await ledger.hasEffect(idempotencyKey);
      if (dice.chance(0.2)) return { status: 'unknown' };
      return isDone ? { status: 'done', output: `order ${n}` } : { status: 'notDone' };
    },
  }),
  // Inline calls have no activity of their own: they write nothing.
  defineTool({
    name: 'peek',
    description: 'peek',
    input,
    inline: true,
    effects: 'none',
    run: ({ n }) => `peek ${n}`,
  }),
  tool('hand', async (n, context) => {
    await context.defer();
    return `handed over ${n}`;
  }),
  tool('long', async (n, context) => {
    for (let part = Number(context.lastCheckpoint ?? 0); part < 8; part++) {
      await sleep(250, undefined, { signal: context.signal });
      await context.checkpoint(part + 1);
    }
    return `long ${n}`;
  }),
];

const common = {
  model: 'chaos',
  tools: [...tools, human(), agentTool({ name: 'helper', agent: 'helper', description: 'Helps.' })],
  maxIterations: null,
  requestTimeout: '6s',
  modelRetry: { maxAttempts: 4, initialInterval: 300, maximumInterval: '3s' },
};

export default defineConfig({
  telemetry: isMeasured,
  agents: [
    defineAgent({ ...common, name: 'native' }),
    defineAgent({ ...common, name: 'whole', stream: false }),
    defineAgent({ ...common, name: 'text', kind: 'zero-shot' }),
    defineAgent({ ...common, name: 'short', maxIterations: 3, onLimit: 'ask' }),
    defineAgent({ ...common, name: 'helper', kind: 'zero-shot', tools }),
  ],
});
