import type { Hooks } from '../../agent/definition/hooks.ts';
import type { AgentDefinition, ConfigDefinition } from '../../config/define.ts';
import type { ChatMessage, Json } from '../../agent/values/vocabulary.ts';
import type { Model } from '../../adapters/models/model.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { currentProcess } from './process.ts';
import type { Random } from './random.ts';
import { NOT_ALLOWED } from './outside-laws.ts';
import { sleep } from './virtual-time.ts';

/** The name under which a config with `limits` has the model of the first agent. */
const SHARED = 'shared';

/** Options of agents and configs that few users combine. */
export interface RandomOptions {
  /** Chooses options of an agent. Each call chooses anew. */
  agent(): Partial<AgentDefinition>;
  /** Makes the model of the first agent, with a second model for its failures, or with limits. */
  model(first: () => Model): { model: AgentDefinition['model']; config: Partial<ConfigDefinition> };
  /** Returns the options of a version of the config. Later versions may lack hooks and `authorize`. */
  config(version: number): Partial<ConfigDefinition>;
  /** Returns the name of the agent that a version of the config lacks; undefined: it has all agents. */
  gone(version: number): string | undefined;
}

/** Sets no options. */
export const noOptions: RandomOptions = {
  agent: () => ({}),
  model: (first) => ({ model: first(), config: {} }),
  config: () => ({}),
  gone: () => undefined,
};

/** Chooses the options of a world; each is there with the chance `share`. `own` makes the choices, and `dice` those of the hooks and of `authorize`. */
export function randomOptions(own: Random, dice: Random, isSession: boolean, share: number): RandomOptions {
  const isThere = () => own.chance(share);
  const [hasHooks, hasRules] = [isThere(), isThere()];
  const hooks = hasHooks ? { hooks: someHooks(own, dice) } : {};
  const rules = hasRules ? { authorize: () => mayDecide(dice) } : {};
  const rest: Partial<ConfigDefinition> = {
    ...(isThere() ? { cache: true } : {}),
    ...(isThere() ? { breaker: { failures: own.int(1, 3), probeEvery: own.int(1, 10) * 1000 } } : {}),
    ...(isThere() ? { heartbeats: own.of(['lively', 'frugal', { everyMs: 1000 }] as const) } : {}),
  };
  const limits = isThere() ? { concurrency: own.int(1, 3), rpm: own.int(20, 200) } : undefined;
  const hasBackup = limits === undefined && isThere();
  // The options of the first version may be missing in the second.
  const until = () => (own.chance(0.3) ? 1 : Infinity);
  const [hooksUntil, rulesUntil] = [until(), until()];
  const leaver = isThere() ? { name: own.of(['helper', 'top']), from: own.int(1, 2) } : undefined;
  return {
    agent: () => ({
      ...(isThere() ? { askTimeout: someTimeout(own) } : {}),
      ...(isThere() ? { modelRetry: { maxAttempts: own.int(1, 3), initialInterval: 200 } } : {}),
      ...(isThere() ? { onModelFailure: own.of(['ask', 'fail'] as const) } : {}),
      ...(isThere() ? { handleParsingErrors: own.of([false, 'Once more, please.']) } : {}),
      ...(isThere() ? { earlyStopping: 'generate' as const } : { stopMessage: 'That is all.' }),
      ...(isThere() ? { maxIterations: own.int(2, 6) } : {}),
      ...(isThere() ? { budget: { totalTokens: own.int(200, 4000) } } : {}),
      ...(isThere() ? { temperature: 0 } : {}),
      ...(isThere() ? { stream: false } : {}),
      ...(isSession && isThere() ? { memory: someMemory(own) } : {}),
    }),
    model(first) {
      if (limits !== undefined)
        return { model: SHARED, config: { models: { [SHARED]: first() }, limits: { [SHARED]: limits } } };
      return { model: hasBackup ? [first(), first()] : first(), config: {} };
    },
    config: (version) => ({
      ...rest,
      ...(version < hooksUntil ? hooks : {}),
      ...(version < rulesUntil ? rules : {}),
    }),
    gone: (version) => (leaver !== undefined && version >= leaver.from ? leaver.name : undefined),
  };
}

/** Share of the worlds whose first agent searches for its tools. */
const SEARCHES = 0.06;

/** Has an agent search for all its tools but the first of a version, in some of the worlds. */
export function someSearch(own: Random): (tools: readonly Tool[]) => Pick<AgentDefinition, 'toolSearch'> {
  if (!own.chance(SEARCHES)) return () => ({});
  const [results, shows] = [own.int(1, 3), own.chance(0.5)];
  return (tools) => ({
    toolSearch: { results, show: shows ? tools.slice(0, 1).map(({ name }) => name) : [] },
  });
}

function someTimeout(own: Random): AgentDefinition['askTimeout'] {
  const after = own.int(1, 60) * 1000;
  return own.of([after, { after, unanswered: 'observe' as const }, { after, unanswered: 'fail' as const }]);
}

function someMemory(own: Random): NonNullable<AgentDefinition['memory']> {
  return own.of([
    { kind: 'window', turns: own.int(1, 2) },
    { kind: 'tokens', tokens: own.int(5, 60) },
    { kind: 'summary', tokens: own.int(5, 60) },
  ] as const);
}

/** Refuses some words, by an answer or an error, at once or after a while. */
async function mayDecide(dice: Random): Promise<boolean> {
  await currentProcess().proceed();
  await sleep(dice.int(0, 500));
  if (dice.chance(0.05)) throw new Error(NOT_ALLOWED);
  return dice.chance(0.9);
}

/** Hooks that change, refuse and fail, each now and then. */
function someHooks(own: Random, dice: Random): Hooks {
  const failing = own.of([0, 0.02, 0.1]);
  const pass = async () => {
    await currentProcess().proceed();
    await sleep(dice.int(0, 100));
    if (dice.chance(failing)) throw new Error('the hook failed');
  };
  const isThere = () => own.chance(0.6);
  return {
    ...(isThere()
      ? {
          beforeModel: async ({ messages }) => {
            await pass();
            if (dice.chance(0.02)) return { block: 'the request may not be sent' };
            return dice.chance(0.2) ? { messages: messages.map(brief) } : undefined;
          },
        }
      : {}),
    ...(isThere()
      ? {
          afterModel: async ({ text }) => {
            await pass();
            if (dice.chance(0.02)) return { block: 'the reply may not be shown' };
            return dice.chance(0.2) ? { text: `${text} ` } : undefined;
          },
        }
      : {}),
    ...(isThere()
      ? {
          beforeTool: async ({ input }) => {
            await pass();
            if (dice.chance(0.05)) return { refuse: `not allowed today #${dice.int(10_000, 99_999)}` };
            return hasNumber(input) && dice.chance(0.2)
              ? { input: { ...input, n: dice.int(0, 999) } }
              : undefined;
          },
        }
      : {}),
    ...(isThere()
      ? {
          afterTool: async () => {
            await pass();
            return dice.chance(0.2) ? { observation: `hidden #${dice.int(10_000, 99_999)}` } : undefined;
          },
        }
      : {}),
  };
}

/** Text that a hook adds to some of the requests. */
export const ADDED_BY_HOOK = '\nBe brief.';

function brief(message: ChatMessage, at: number): ChatMessage {
  return at === 0 && typeof message.content === 'string'
    ? { ...message, content: `${message.content}${ADDED_BY_HOOK}` }
    : message;
}

function hasNumber(input: Json): input is { n: Json } {
  return typeof input === 'object' && input !== null && 'n' in input;
}
