import { z } from 'zod';
import { externalTool } from '../../adapters/tools/external.ts';
import { type Tool, type ToolContext, defineTool } from '../../adapters/tools/tool.ts';
import { currentProcess, currentRun, isAttemptLost, isAttemptOver } from './process.ts';
import type { Random } from './random.ts';
import { sleep } from './virtual-time.ts';
import type { Size } from './world.ts';

/** An effect of a tool on the world outside. */
export interface Effect {
  tool: string;
  n: number;
  /** Workflow id of the run. */
  root: string;
  call: string;
  key: string;
  at: number;
}

/** Queue of the worker that runs the external tools. */
export const FOREIGN_QUEUE = 'abroad';

/** Tools that may kill their worker, which a simulation without faults leaves out. */
export const DEADLY = ['deadly', 'bomb'];

/** Tools with large inputs or checkpoints, which only some simulations have. */
export const BULKY = ['bulky', 'hoard'];

/** Tools that run in the activity of the model call. */
export const INLINE = ['peek', 'shaky', 'bomb'];

/** A model may write the number as text. */
export const input = z.object({ n: z.coerce.number() });

/** A tool that takes long and fails late, which only the worlds have that name it. */
export const LATE = 'late';

/** Lengths of its attempts. The SDK's worker sends its first heartbeat after some 6 s. */
const LATE_MS = [1000, 3000, 7000, 8000, 12_000, 20_000, 60_000, 300_000];

export interface ToolWorld {
  /** Gets the token of a call that is about to wait for its result. */
  deferred(token: string, run: string, call: string): void;
  effects: Effect[];
  dice: Random;
  size: Size;
  /** Share of the attempts of `pay` that fail. */
  failing: number;
  /** Longest time that a request of a tool is on its way. */
  travelMs: number;
  /** Reports that an attempt does not find what an earlier one has stored. */
  undone(what: string): void;
  /** Reports what a tool does in an attempt that is over for the server, though it must not. */
  late(what: string): void;
}

/** Tools of every kind. */
export function createTools(world: ToolWorld): Tool[] {
  const { effects, dice, deferred, size, failing, travelMs, late, undone } = world;
  /** Takes effect in the world. A dead worker sends no request; one that was sent arrives, whatever becomes of the worker. */
  async function effect(tool: string, n: number, context: ToolContext): Promise<void> {
    await currentProcess().proceed();
    const { callId: call, idempotencyKey: key } = context;
    await sleep(dice.int(0, travelMs));
    effects.push({ tool, n, root: currentRun(), call, key, at: Date.now() });
    await currentProcess().proceed();
  }

  /** `ctx.commit` asks the server: an attempt that is over must not act. */
  async function commit(tool: string, n: number, context: ToolContext): Promise<void> {
    await currentProcess().proceed();
    const isLost = isAttemptLost();
    await context.commit();
    if (isLost) late(`${tool} ${n} of call ${context.callId} in ${currentRun()} took effect`);
  }

  /** The part that each call of `late` has stored last, and the attempt that failed after it. */
  const stored = new Map<string, { part: number; failed?: number }>();

  /** Two attempts of a call have two outputs. */
  const told = (text: string) => `${text} #${dice.int(0, 99_999)}`;

  const tool = (name: string, run: (n: number, context: ToolContext) => unknown, more: object = {}): Tool =>
    defineTool({
      name,
      description: name,
      input,
      retry: { maxAttempts: 2, initialInterval: 100 },
      run: async ({ n }: { n: number }, context: ToolContext) => {
        await currentProcess().proceed();
        // An inline tool has no effects, and its model call may be given up before it.
        if (!('inline' in more) && isAttemptOver())
          late(`${name} ${n} of call ${context.callId} in ${currentRun()} began`);
        return run(n, context);
      },
      ...more,
    } as never); // the options are checked when the config is loaded

  const once = (name: string, more: object = {}) =>
    tool(
      name,
      async (n, context) => {
        await sleep(dice.int(0, 4000));
        if (dice.chance(0.1)) throw new Error(`${name} fails before its effect`);
        await sleep(dice.int(0, 1000));
        await commit(name, n, context);
        await sleep(dice.int(0, travelMs / 2));
        await effect(name, n, context);
        await sleep(dice.int(0, 4000));
        if (dice.chance(0.1)) throw new Error(`${name} fails after its effect`);
        return `${name} ${n}`;
      },
      { effects: 'once', ...more },
    );

  return [
    tool('read', async (n) => {
      await sleep(dice.int(0, 500));
      return told(`read ${n} ${'.'.repeat(n % 700)}`);
    }),
    tool('flaky', async (n) => {
      await sleep(dice.int(0, 50));
      if (dice.chance(0.5)) throw new Error(`flaky ${n}`);
      return told(`flaky ${n}`);
    }),
    tool(
      'fatal',
      (n) => {
        throw new Error(`fatal ${n}`);
      },
      { onFailure: 'fail' },
    ),
    tool(
      'pay',
      async (n, context) => {
        await sleep(dice.int(0, 2000));
        if (dice.chance(failing)) throw new Error('pay is out of order');
        await effect('pay', n, context);
        return `pay ${n}`;
      },
      { approval: 'always' },
    ),
    once('mail'),
    once('order', {
      approval: ({ n }: { n: number }) => n % 3 === 0,
      reconcile: async ({ n }: { n: number }, context: ToolContext) => {
        await currentProcess().proceed();
        if (dice.chance(0.2)) return { status: 'unknown' };
        const isDone = effects.some((one) => one.tool === 'order' && one.key === context.idempotencyKey);
        return isDone ? { status: 'done', output: `order ${n}` } : { status: 'notDone' };
      },
    }),
    tool('peek', (n) => told(`peek ${n} ${'.'.repeat(n)}`), { inline: true, effects: 'none' }),
    tool(
      'shaky',
      (n) => {
        if (dice.chance(0.3)) throw new Error(`shaky ${n}`);
        return told(`shaky ${n}`);
      },
      { inline: true, effects: 'none' },
    ),
    tool('hand', async (n, context) => {
      const { token } = await context.defer();
      deferred(token, currentRun(), context.callId);
      await sleep(dice.int(0, 3000));
      return `handed over ${n}`;
    }),
    tool(
      'pledge',
      async (n, context) => {
        const { token } = await context.defer();
        await commit('pledge', n, context);
        await effect('pledge', n, context);
        deferred(token, currentRun(), context.callId);
        await sleep(dice.int(0, 6000));
        return `pledged ${n}`;
      },
      { effects: 'once' },
    ),
    tool('long', async (n, context) => {
      const from = Number(context.lastCheckpoint ?? 0);
      for (let at = from; at < 20; at++) {
        if (context.signal.aborted) throw context.signal.reason;
        await sleep(1000);
        if (at % 5 === 4) await context.checkpoint(at + 1);
      }
      return told(`long ${n}`);
    }),
    tool(
      LATE,
      async (n, { callId, checkpoint, lastCheckpoint, attempt, signal }) => {
        const call = `${currentRun()} ${callId}`;
        const from = Number(lastCheckpoint ?? 0);
        const before = stored.get(call);
        if (before?.failed !== undefined && before.failed === attempt - 1 && from < before.part)
          undone(`${LATE} ${n} of call ${call} began after part ${from}, and part ${before.part} was stored`);
        stored.set(call, { part: from });
        const [parts, ms] = [dice.int(1, 10), dice.of(LATE_MS)];
        for (let part = from + 1; part <= from + parts; part++) {
          await sleep(ms / parts);
          await currentProcess().proceed();
          if (signal.aborted) throw signal.reason;
          if (dice.chance(0.3)) continue;
          await checkpoint(part);
          stored.set(call, { part });
        }
        if (dice.chance(0.4)) return told(`late ${n}`);
        stored.set(call, { part: stored.get(call)?.part ?? from, failed: attempt });
        throw new Error(`late ${n}`);
      },
      { retry: { maxAttempts: 3, initialInterval: 100 }, timeout: 120_000 },
    ),
    tool('deadly', async (n) => {
      await sleep(dice.int(0, 500));
      if (dice.chance(0.4)) currentProcess().kill();
      await currentProcess().proceed();
      return told(`deadly ${n}`);
    }),
    tool(
      'bomb',
      async (n) => {
        if (dice.chance(0.4)) currentProcess().kill();
        await currentProcess().proceed();
        return told(`bomb ${n}`);
      },
      { inline: true, effects: 'none' },
    ),
    defineTool({
      name: 'bulky',
      description: 'bulky',
      input: z.object({ n: z.number(), pad: z.string() }),
      run: ({ n, pad }) => `bulky ${n} ${pad}${pad}`,
      ...(size.startsWith('wide') ? { approval: 'always' as const } : {}),
    }),
    tool(
      'hoard',
      async (n, context) => {
        await context.checkpoint('.'.repeat(480_000));
        if (context.lastCheckpoint === undefined || dice.chance(0.3)) throw new Error(`hoard ${n}`);
        return told(`hoard ${n}`);
      },
      { retry: { maxAttempts: 1 } },
    ),
    externalTool({ ...foreign('parcel'), effects: 'once' }),
    externalTool(foreign('letter')),
  ];
}

function foreign(name: string) {
  return {
    name,
    description: name,
    input,
    taskQueue: FOREIGN_QUEUE,
    timeout: 20_000,
    retry: { maxAttempts: 2, initialInterval: 100 },
  };
}
