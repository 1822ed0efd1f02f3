import type { Random } from './random.ts';
import type { Fault } from './chaos.ts';
import { laterProfileOf } from './later-profiles.ts';
import type { Habits } from './operator.ts';
import { type WorldKind, rareErrors } from './world-model.ts';
import type { Size } from './world.ts';

/**
 * Features that are frequent in a simulation, so that a few hundred simulations have their crossings. Everything that a profile does not
 * name is left to chance.
 */
export interface Profile {
  /** For stories. */
  name?: string;
  /** The only tools of the agents. */
  tools?: readonly string[];
  kind?: WorldKind;
  /** The tool that the model takes most often. */
  favourite?: string;
  /** Share of the agents with a time limit. */
  timeLimits?: number;
  /** The agent has a sub-agent as a tool. */
  hasHelper?: boolean;
  /** All tools ask for approval. */
  isCautious?: boolean;
  size?: Size;
  /** Share of the attempts of `pay` that fail. */
  failing?: number;
  /** Share of the model calls that fail, and how. */
  failingModel?: number;
  modelErrors?: typeof rareErrors;
  /** Longest time that a request of a tool is on its way, and longest time of a model call. */
  travelMs?: number;
  slowestMs?: number;
  habits?: Partial<Habits>;
  /** Shares of the faults. */
  faults?: Partial<Record<Fault, number>>;
  /** Longest time that a task of the server waits: what happens meanwhile comes to a workflow in one task. */
  lagMs?: number;
  /** Events from which the server suggests continue-as-new. */
  suggestedLength?: number;
  /** Share of the ended runs that begin again, and of the retries with another input. */
  restarts?: number;
  /** Share of the deferred calls that somebody answers by token, and the longest time until then. */
  answersByToken?: number;
  answerMs?: number;
  /** Shares of the agents that summarize their old turns, and of the runs in which agents hand the conversation over. */
  compaction?: number;
  handoffs?: number;
  /** Share of the worlds with later versions of the config. */
  deploys?: number;
  /** Share of the random options that are there. Default: there are none. */
  options?: number;
  /** Somebody clears the session. */
  clears?: boolean;
  /** Somebody speaks to sub-agents by their own ids. */
  speaksToChildren?: boolean;
  /** Share of the forks that change an observation, and say something. */
  edits?: number;
  /** The caller of a run brings tools and carries them out. */
  bringsTools?: boolean;
  /** Share of the tools whose calls run in the background. */
  background?: number;
  /** Budgets above the runs, which somebody extends. */
  budgets?: boolean;
}

const SLOW_MS = 1500;

const profiles: readonly Profile[] = [
  // A person ends a run with a failed payment, and begins it again with another amount.
  {
    name: 'amounts',
    tools: ['pay', 'read'],
    favourite: 'pay',
    failing: 0.6,
    habits: { end: 0.8, remember: 0, cancel: 0.05 },
    restarts: 0.9,
  },
  // A worker without a connection has results that another worker has too.
  {
    name: 'lost outputs',
    tools: ['peek', 'shaky'],
    favourite: 'peek',
    slowestMs: 12_000,
    faults: { cutOff: 1, freeze: 0.3 },
  },
  // Dozens of calls with large inputs wait in a sub-agent.
  {
    name: 'crowd',
    tools: ['bulky'],
    hasHelper: true,
    favourite: 'helper',
    size: 'wide helper',
    habits: { all: 1, rewind: 0 },
  },
  // Calls with large checkpoints fail together, and somebody retries all of them at once.
  {
    name: 'hoard',
    tools: ['hoard'],
    size: 'wide',
    lagMs: 300,
    habits: { all: 1, retry: 1, pause: 0.05, cancel: 0, rewind: 0, cancelCall: 0 },
  },
  // Second thoughts about a run, and quick answers to its sub-agents, whose signals are slow.
  {
    name: 'second thoughts',
    tools: ['hand', 'pay'],
    hasHelper: true,
    favourite: 'helper',
    lagMs: SLOW_MS,
    habits: { pause: 0.1, study: 0.8, haste: 0.3, burst: 0.3, rewind: 0.02 },
    answersByToken: 0.7,
    answerMs: 2000,
  },
  // Many words to a run that continues as new all the time.
  {
    name: 'continued',
    tools: ['read', 'flaky', 'letter'],
    lagMs: SLOW_MS,
    suggestedLength: 40,
    habits: { rewind: 0.1, say: 0.1, pause: 0.1, study: 0.3, haste: 0.5, burst: 0.3, cancel: 0 },
  },
  // Workers die while a request is on its way, and others begin at once.
  {
    name: 'requests on their way',
    tools: ['order', 'mail', 'read'],
    favourite: 'order',
    travelMs: 4500,
    faults: { kill: 0.7, freeze: 0.7 },
  },
  // Approvals that hold for the rest of the run.
  {
    name: 'remembered',
    tools: ['pay', 'mail', 'order', 'read'],
    isCautious: true,
    habits: { remember: 0.5 },
  },
  // Answers by token, before and after the tool has returned.
  {
    name: 'tokens',
    tools: ['hand', 'pledge'],
    favourite: 'hand',
    answersByToken: 0.8,
    answerMs: 2000,
    habits: { cancelCall: 0.15 },
  },
];

/** Share of the seeds that have one of the profiles below. All other seeds keep their stories when a profile is added below. */
const NEWER = 0.2;

const newerProfiles: readonly Profile[] = [
  // Summaries, and everything that goes back to before them.
  {
    name: 'summaries',
    tools: ['read', 'mail', 'peek'],
    compaction: 1,
    suggestedLength: 100,
    habits: { rewind: 0.08, say: 0.08, haste: 0.3, cancel: 0 },
    restarts: 0.8,
  },
  // The conversation goes back and forth between two agents.
  {
    name: 'handoffs',
    tools: ['read', 'order', 'pay'],
    handoffs: 1,
    favourite: 'transfer_to_second',
    suggestedLength: 100,
    habits: { rewind: 0.08, say: 0.08, pause: 0.08, study: 0.3, cancel: 0 },
    restarts: 0.8,
  },
  // Messages to a run whose calls are cancelled for a rewind.
  {
    name: 'afterthoughts',
    tools: ['mail', 'long', 'read'],
    favourite: 'mail',
    suggestedLength: 40,
    habits: { rewind: 0.06, say: 0.3, haste: 0.3, burst: 0, cancel: 0, cancelCall: 0 },
  },
  // Somebody pauses attempts whose worker is lost before it hears of the pause.
  {
    name: 'held attempts',
    tools: ['mail', 'order', 'pledge'],
    favourite: 'mail',
    faults: { operate: 1, kill: 0.3, cutOff: 0.3, freeze: 0.3 },
    habits: { retry: 0, rewind: 0, cancel: 0 },
  },
];

/** The end of a model call, with its inline calls, comes in the same task as the end of the time. */
const deadlines: Profile = {
  name: 'deadlines',
  tools: ['peek', 'shaky', 'read'],
  favourite: 'peek',
  timeLimits: 1,
  lagMs: SLOW_MS,
  slowestMs: 12_000,
};
/** Share of the seeds that have this profile, whatever profile they had. */
const DEADLINES = 0.04;

/** Nobody says a word, and hardly anything waits: the results of such runs have their steps. */
const quiet: Profile = {
  name: 'quiet',
  tools: ['read', 'peek', 'flaky'],
  favourite: 'peek',
  timeLimits: 0,
  habits: { say: 0, pause: 0, cancel: 0, rewind: 0, cancelCall: 0, haste: 0, burst: 0 },
  restarts: 0.2,
  handoffs: 0,
};
/** Share of the seeds that do not have this profile. */
const LOUD = 0.97;

/** The fourth kind of agent, with a model that fails in rare ways. */
const conversation: Profile = {
  name: 'conversation',
  kind: 'conversational',
  failingModel: 0.12,
  modelErrors: rareErrors,
  size: 'usual',
  restarts: 0.7,
};
/** Share of the seeds that do not have this profile. */
const OTHERS = 0.96;

/** Half of the simulations have no profile. */
export function profileOf(random: Random, own: Random): Profile {
  const profile = random.chance(0.5) ? random.of(profiles) : {};
  const newer = own.chance(NEWER) ? own.of(newerProfiles) : profile;
  const latest = own.chance(DEADLINES) ? deadlines : newer;
  const loud = own.chance(LOUD) ? latest : quiet;
  const spoken = own.chance(OTHERS) ? loud : conversation;
  return laterProfileOf(spoken, own);
}
