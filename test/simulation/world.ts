import { z } from 'zod';
import type { AgentDefinition, ConfigDefinition } from '../../config/define.ts';
import { type Model, ModelError, type ModelErrorType, type ModelRequest } from '../../models/model.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { human } from '../../tools/human.ts';
import { type Tool, type ToolContext, defineTool } from '../../tools/tool.ts';
import { type Json, asText } from '../../agent/values/vocabulary.ts';
import { Random } from './random.ts';
import { currentProcess, currentRun } from './process.ts';
import { sleep } from './virtual-time.ts';

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

/** A request that the model was asked. */
export interface Asked {
  runId: string;
  step: string;
  request: ModelRequest;
}

/** The simulated agents, the effects of their tools, and the requests to their model. */
export interface World {
  config: ConfigDefinition;
  effects: Effect[];
  asked: Asked[];
}

const input = z.object({ n: z.number() });

const modelErrors: [ModelErrorType, boolean][] = [
  ['ModelRateLimited', true],
  ['ModelServerError', true],
  ['ModelConnectionError', true],
  ['ModelTimeout', true],
  ['ModelStreamCut', true],
  ['ModelBadRequest', false],
  ['ModelAuthenticationError', false],
];

/** Agents and tools of every kind. Their choices come from the seed and from what they are asked. */
export function createWorld(random: Random, onEvent: NonNullable<ConfigDefinition['onEvent']>): World {
  const effects: Effect[] = [];
  const asked: Asked[] = [];
  const salt = random.int(0, 2 ** 31);
  const dice = random.fork();

  /** Takes effect in the world. A dead worker never gets there. */
  async function effect(tool: string, n: number, context: ToolContext): Promise<void> {
    await currentProcess().proceed();
    effects.push({
      tool,
      n,
      root: currentRun(),
      call: context.callId,
      key: context.idempotencyKey,
      at: Date.now(),
    });
  }

  const tool = (name: string, run: (n: number, context: ToolContext) => unknown, more: object = {}): Tool =>
    defineTool({
      name,
      description: name,
      input,
      retry: { maxAttempts: 2, initialInterval: 100 },
      run: ({ n }: { n: number }, context: ToolContext) => run(n, context),
      ...more,
    } as never); // the options are checked when the config is loaded

  const once = (name: string, more: object = {}) =>
    tool(
      name,
      async (n, context) => {
        await sleep(dice.int(0, 4000));
        if (dice.chance(0.1)) throw new Error(`${name} fails before its effect`);
        await sleep(dice.int(0, 1000));
        await context.commit();
        await effect(name, n, context);
        await sleep(dice.int(0, 4000));
        if (dice.chance(0.1)) throw new Error(`${name} fails after its effect`);
        return `${name} ${n}`;
      },
      { effects: 'once', ...more },
    );

  const tools: Tool[] = [
    tool('read', async (n) => {
      await sleep(dice.int(0, 500));
      return `read ${n} ${'.'.repeat(n % 700)}`;
    }),
    tool('flaky', async (n) => {
      await sleep(dice.int(0, 50));
      if (dice.chance(0.5)) throw new Error(`flaky ${n}`);
      return `flaky ${n}`;
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
    tool('peek', (n) => `peek ${n}`, { inline: true, effects: 'none' }),
    tool(
      'shaky',
      (n) => {
        if (dice.chance(0.3)) throw new Error(`shaky ${n}`);
        return `shaky ${n}`;
      },
      { inline: true, effects: 'none' },
    ),
    tool('hand', async (n, context) => {
      await context.defer();
      return `handed over ${n}`;
    }),
    tool('long', async (n, context) => {
      const from = Number(context.lastCheckpoint ?? 0);
      for (let at = from; at < 20; at++) {
        if (context.signal.aborted) throw context.signal.reason;
        await sleep(1000);
        if (at % 5 === 4) await context.checkpoint(at + 1);
      }
      return `long ${n}`;
    }),
  ];

  function model(names: readonly string[], most: number): Model {
    return {
      async call(request, context) {
        await currentProcess().proceed();
        asked.push({ runId: context.runId, step: context.step, request });
        await sleep(dice.int(1, 400));
        if (dice.chance(0.04)) {
          const [type, retryable] = dice.of(modelErrors);
          throw new ModelError(type, `simulated ${type}`, { retryable });
        }
        const choice = new Random(salt ^ hash(`${questionOf(request)} ${context.step}`));
        const answer = {
          finishReason: 'stop',
          usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
        };
        const last = 2 + (hash(questionOf(request)) % most);
        if (Number(context.step) > last) return { ...answer, text: 'done', toolCalls: [] };
        const count = choice.chance(0.6) ? 1 : choice.int(2, 4);
        const toolCalls = Array.from({ length: count }, (_, index) => {
          const name = choice.of(names);
          const n = choice.int(0, 999);
          const args =
            name === 'helper'
              ? { __arg1: `help ${n}` }
              : name === 'ask_human'
                ? { question: `Question ${n}?` }
                : { n };
          return { id: `call-${context.step}-${index}`, name, arguments: JSON.stringify(args) };
        });
        return { ...answer, text: '', toolCalls };
      },
    };
  }

  const names = tools.map(({ name }) => name);
  const simple = names.filter((name) => !['fatal', 'hand'].includes(name));
  const options: Partial<AgentDefinition> = {
    maxIterations: random.chance(0.3) ? random.int(3, 6) : null,
    ...(random.chance(0.2) ? { maxExecutionTime: `${random.int(20, 200)}s` } : {}),
    ...(random.chance(0.3) ? { onLimit: 'ask' } : {}),
    ...(random.chance(0.2) ? { repeatLimit: random.int(2, 3) } : {}),
  };
  const agents: AgentDefinition[] = [
    {
      name: 'top',
      ...options,
      tools: [...tools, human(), agentTool({ name: 'helper', agent: 'helper', description: 'Helps.' })],
      model: model([...names, 'helper', 'ask_human'], random.int(2, 12)),
    },
    {
      name: 'helper',
      maxIterations: null,
      tools: tools.filter(({ name }) => simple.includes(name)),
      model: model(simple, 2),
    },
  ];
  return { config: { agents, onEvent }, effects, asked };
}

function hash(text: string): number {
  let value = 7;
  for (const character of text) value = (Math.imul(value, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return value;
}

interface Message {
  role: string;
  content: Json;
}

/** The question of a run, which stands in its first user message. */
function questionOf(request: ModelRequest): string {
  const { messages = [] } = request.prompt as { messages?: Message[] };
  return asText(messages.find(({ role }) => role === 'user')?.content ?? '');
}
