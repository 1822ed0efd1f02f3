import type { BudgetDefinition } from '../../agent/budgets/budget-rule.ts';
import type { AgentDefinition, ConfigDefinition } from '../../config/define.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { human } from '../../adapters/tools/human.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { type LongRuns, longRuns } from './long-runs.ts';
import type { Profile } from './profiles.ts';
import { Random } from './random.ts';
import { BROUGHT } from './brought-tools.ts';
import { noOptions, randomOptions, someSearch } from './random-options.ts';
import { changed, deployed } from './tool-versions.ts';
import { budgetsIn, someBudgets } from './world-budgets.ts';
import { type Asked, FEW, HANDOFF, type ModelOptions, type WorldKind, createModel } from './world-model.ts';
import { BULKY, DEADLY, type Effect, INLINE, LATE, type ToolWorld, createTools } from './world-tools.ts';

/** The simulated agents, the effects of their tools, and the requests to their model. */
export interface World {
  /** The first is there from the start; the others are deployed while runs are under way. */
  configs: ConfigDefinition[];
  effects: Effect[];
  asked: Asked[];
  /** Effects and commits of tools in attempts that the server had ended, as sentences. */
  late: string[];
  /** Checkpoints that an attempt did not find, as sentences. */
  undone: string[];
  /** Returns true if a person has to approve the call. */
  isAsked(call: Pick<Effect, 'tool' | 'n'>): boolean;
  /** A rule of the config is asked about each word, which takes a while. */
  hasRule: boolean;
  /** Results of tools are messages of their own in all prompts of a run. */
  hasToolMessages: boolean;
  /** The model gets tickets of these tools, and their results later. */
  background: readonly string[];
  /** Budgets above the runs. */
  budgets: readonly BudgetDefinition[];
  /** Time limit of a run, in milliseconds. */
  timeLimitMs: number | undefined;
}

interface WorldOptions extends Pick<ToolWorld, 'deferred'> {
  onEvent: NonNullable<ConfigDefinition['onEvent']>;
  /** Tools may kill their worker. */
  isDeadly: boolean;
  /** Only kinds that have a chat history. */
  isSession: boolean;
  profile: Profile;
}

/** Large inputs and checkpoints; and dozens of calls in a turn of the run, or of its sub-agents. */
const SIZES = [
  ...Array<'usual'>(22).fill('usual'),
  'bulky',
  'wide',
  'wide',
  'wide helper',
  'wide helper',
] as const;
export type Size = (typeof SIZES)[number];

/** Calls of a wide turn, with large inputs or with checkpoints that are larger still. */
const MANY = { bulky: 50, hoard: 12 };

/** Make other choices of a seed than the rest of the world. */
const OPTIONS = 0x0971;
const BACKGROUND = 0x0bac;
const BUDGETS = 0xb0d6;
const SEARCH = 0x5f06;

const kinds: readonly WorldKind[] = ['tool-calling', 'tool-calling', 'zero-shot', 'structured-chat'];

/** Agents and tools of every kind. Their choices come from the seed and from what they are asked. */
export function createWorld(
  random: Random,
  { onEvent, isDeadly, isSession, deferred, profile }: WorldOptions,
): World {
  const effects: Effect[] = [];
  const asked: Asked[] = [];
  const late: string[] = [];
  const undone: string[] = [];
  const salt = random.int(0, 2 ** 31);
  const dice = random.fork();
  const size = profile.size ?? random.of(SIZES);
  const made = createTools({
    effects,
    dice,
    deferred,
    size,
    failing: profile.failing ?? random.of([0.2, 0.2, 0.6]),
    travelMs: profile.travelMs ?? random.of([0, 0, 3000]),
    late: (what) => late.push(what),
    undone: (what) => undone.push(what),
  }).filter(
    ({ name }) =>
      (isDeadly || !DEADLY.includes(name)) &&
      (size !== 'usual' || !BULKY.includes(name)) &&
      (name !== LATE || profile.tools?.includes(name) === true),
  );
  const [isCautious, isRobust] = [profile.isCautious ?? random.chance(0.15), random.chance(0.3)];
  const later = new Random(salt ^ BACKGROUND);
  const isLater = (name: string) =>
    profile.background !== undefined && later.chance(profile.background) && !INLINE.includes(name);
  const background = [...made.map(({ name }) => name), 'helper'].filter(isLater);
  const all = made
    .map((tool) => changed(tool, isCautious, isRobust && random.chance(0.5)))
    .map((tool) => (background.includes(tool.name) ? { ...tool, background: true } : tool));
  const isAsked: World['isAsked'] = ({ tool, n }) => {
    const approval = all.find(({ name }) => name === tool)?.approval;
    return approval === 'always' || (typeof approval === 'function' && n % 3 === 0); // only `order` has a function
  };
  // A world with few tools has their crossings more often.
  const isWide = size.startsWith('wide');
  const isSmall = isWide || profile.tools !== undefined || random.chance(0.5);
  const few = () => random.some(all, isWide ? random.int(0, 1) : random.int(1, 3)).map(({ name }) => name);
  const bulky = isWide ? [random.of(['bulky', ...BULKY])] : [];
  const chosen = profile.tools ?? (isSmall ? [...few(), ...bulky] : undefined);
  const tools = all.filter(({ name }) => chosen === undefined || chosen.includes(name));
  const names = tools.map(({ name }) => name);
  const many = names.includes('hoard') ? MANY.hoard : MANY.bulky;
  const simple = names.filter((name) => size === 'wide helper' || !['fatal', ...BULKY].includes(name));
  const hasHelper =
    profile.hasHelper ?? (size === 'wide helper' || (simple.length > 0 && (!isSmall || random.chance(0.4))));
  const more = [...(hasHelper ? ['helper'] : []), ...(isSmall ? [] : ['ask_human'])];
  const timeLimitMs = random.chance(profile.timeLimits ?? 0.2) ? random.int(20, 200) * 1000 : undefined;
  const options: Partial<AgentDefinition> = {
    maxIterations: random.chance(0.3) ? random.int(3, 6) : null,
    ...(timeLimitMs === undefined ? {} : { maxExecutionTime: timeLimitMs }),
    ...(random.chance(0.3) ? { onLimit: 'ask' } : {}),
    ...(random.chance(0.2) ? { repeatLimit: random.int(2, 3) } : {}),
  };
  const kind =
    profile.kind ??
    (size === 'wide'
      ? 'tool-calling'
      : size === 'wide helper'
        ? 'structured-chat' // one sub-agent at a time
        : random.of(isSession ? kinds.filter((one) => one !== 'zero-shot') : kinds));
  const helperKind = size === 'wide helper' ? 'tool-calling' : random.of(kinds);
  const favourite = profile.favourite ?? (random.chance(0.5) ? random.of([...names, ...more]) : undefined);
  const most = size === 'usual' ? random.int(2, 12) : 2;
  const deploys = random.chance(profile.deploys ?? 0.4) ? random.int(1, 2) : 0;
  const slowestMs = profile.slowestMs ?? random.of([400, 400, 400, 12_000]);
  const bills = profile.budgets === true;
  const { failingModel: failing, modelErrors: errors } = profile;
  const world = { background, asked, dice, salt, slowestMs, bills, failing, errors };
  const budgets = bills ? someBudgets(new Random(salt ^ BUDGETS)) : [];
  // By itself, so that the other choices of a seed are the same.
  const long = longRuns(new Random(~salt), { kind, names, profile });
  const { second } = long;
  const own = new Random(salt ^ OPTIONS);
  const extra =
    profile.options === undefined ? noOptions : randomOptions(own, own.fork(), isSession, profile.options);
  const [topOptions, helperOptions, secondOptions] = [extra.agent(), extra.agent(), extra.agent()];
  const search = someSearch(new Random(salt ^ SEARCH));
  const transfer = second === undefined ? [] : [`${HANDOFF}second`];
  const brings = profile.bringsTools === true;
  const brought = brings ? BROUGHT.map(({ name }) => name) : [];
  const client = brings ? { clientTools: true } : {};

  const modelOf = (of: Omit<ModelOptions, 'counts'>) => createModel(world, { counts: long.counts, ...of });

  const configOf = (versionTools: readonly Tool[], version: number): ConfigDefinition => {
    const gone = extra.gone(version);
    const { model, config } = extra.model(() =>
      modelOf({
        agent: 'top',
        kind,
        mostCalls: size === 'wide' ? many : FEW,
        tools: [...names, ...(deploys > 0 ? ['fresh'] : []), ...more, ...transfer, ...brought],
        most,
        favourite,
        searches: search(versionTools).toolSearch !== undefined,
      }),
    );
    const top: AgentDefinition = {
      name: 'top',
      kind,
      ...options,
      ...long.top,
      ...topOptions,
      ...search(versionTools),
      ...client,
      ...(hasSecond(long, version) ? { handoffs: ['second'] } : {}),
      tools: [
        ...versionTools,
        human(),
        ...(gone === 'helper'
          ? []
          : [
              agentTool({
                name: 'helper',
                agent: 'helper',
                description: 'Helps.',
                background: background.includes('helper'),
              }),
            ]),
      ],
      model,
    };
    const helper: AgentDefinition = {
      name: 'helper',
      kind: helperKind,
      maxIterations: null,
      ...long.helper,
      ...helperOptions,
      tools: versionTools.filter(({ name }) => simple.includes(name)),
      model: modelOf({
        agent: 'helper',
        kind: helperKind,
        mostCalls: size === 'wide helper' ? many : FEW,
        tools: simple,
        most: 2,
      }),
    };
    const agents = [top, helper, ...secondOf(version, versionTools, gone)];
    return {
      ...config,
      ...extra.config(version),
      ...(bills ? { budgets: budgetsIn(version, budgets) } : {}),
      agents: agents.filter(({ name }) => name !== gone),
      onEvent,
    };
  };

  function secondOf(
    version: number,
    versionTools: readonly Tool[],
    gone: string | undefined,
  ): AgentDefinition[] {
    if (second === undefined || !hasSecond(long, version)) return [];
    const handoffs = second.options.handoffs.filter((name) => name !== gone);
    return [
      {
        name: 'second',
        kind: second.kind,
        ...second.options,
        ...secondOptions,
        ...client,
        handoffs,
        tools: versionTools.filter(({ name }) => second.tools.includes(name)),
        model: modelOf({
          agent: 'second',
          kind: second.kind,
          mostCalls: FEW,
          tools: [...second.tools, ...second.options.handoffs.map((name) => `${HANDOFF}${name}`), ...brought],
          most,
        }),
      },
    ];
  }

  const configs = [tools, ...Array.from({ length: deploys }, () => deployed(tools, random))].map(configOf);
  const hasToolMessages = kind === 'tool-calling' && (second?.kind ?? kind) === kind;
  const hasRule = configs.some(({ authorize }) => authorize !== undefined);
  return {
    configs,
    effects,
    asked,
    late,
    undone,
    isAsked,
    hasRule,
    hasToolMessages,
    background,
    budgets,
    timeLimitMs,
  };
}

/** The second agent is gone in some of the later versions. */
function hasSecond({ second }: LongRuns, version: number): boolean {
  return second !== undefined && second.until > version;
}
