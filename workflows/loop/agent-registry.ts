import { workflowInfo } from '@temporalio/workflow';
import type { TimelessEvent } from '../../agent/run/events.ts';
import type { Allowance } from '../../agent/limits/counters.ts';
import { addAllowance, raisedBy } from '../../agent/limits/extension.ts';
import { limitsOf } from '../../agent/limits/run-limits.ts';
import { type WaitingCall, needsPerson } from '../../agent/rules/waiting.ts';
import type { Consumption } from '../../agent/run/run-result.ts';
import { boundedWaits } from '../../agent/run/waits-change.ts';
import type { RunMessage } from '../../agent/rules/run-messages.ts';
import { type RunStatus, addUsage, noUsage } from '../../agent/values/vocabulary.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { createAuthorizer } from '../operator/ask-authorize.ts';
import { type Control, createControl } from '../operator/control.ts';
import { Inbox } from '../operator/inbox.ts';
import { AGENT_RUN, type RunState } from '../messages.ts';
import type { Pause } from '../operator/pause.ts';
import { showStatus } from '../web-ui/current-details.ts';
import { type SteeringTarget, createSteering } from '../operator/steering.ts';
import { TakenWords } from '../operator/taken-words.ts';
import type { TakenWord } from '../../agent/run/run-input.ts';
import { perRun } from '../temporal/run-state.ts';

/** An agent in the list of this workflow's agents. All agents share one gate for decisions and messages. */
export interface RunningAgent {
  readonly scope: number;
  readonly control: Control;
  readonly pause: Pause;
  readonly taken: TakenWords;
  readonly inbox: Inbox;
  /** Removes and returns the events from before the loop. */
  earlyEvents(): TimelessEvent[];
  /** Call it when the loop starts. From then on `status` includes the loop's counters. */
  started(loop: AgentLoop): void;
  ended(): void;
}

/** State that a workflow has from its earlier executions. */
interface EarlierRun {
  unheard: readonly string[];
  lastStep: number;
  takenWords: readonly TakenWord[] | undefined;
}

/** Callbacks for changes of the whole workflow. */
export interface StatusHooks {
  waiting?(waiting: WaitingCall[]): void;
  status?(status: RunStatus): void;
}

interface Entry extends SteeringTarget {
  name: string;
  /** undefined before the loop starts, and after its end, so that its large transcript is freed. */
  loop: AgentLoop | undefined;
  isOver: boolean;
  /** Iterations and usage at the loop's end. */
  consumption: Consumption;
  /** Extensions of limits, events, and a rewind from before the loop started. */
  allowance: Allowance;
  events: TimelessEvent[];
  rewindTo: number | undefined;
  hooks: StatusHooks;
}

const NOTHING: Consumption = { iterations: 0, usage: noUsage };

interface Registry {
  agents: Entry[];
  gate?: Pick<RunningAgent, 'control' | 'pause' | 'taken'>;
  endStatus?: RunStatus;
}

const registry = perRun((): Registry => ({ agents: [] }));

/**
 * Adds an agent to the workflow. Call it before the first `await`, so that handlers exist before the first message. `unheard`: messages that
 * the model of the earlier run has not seen. `lastStep`: the last step to which the run can be rewound. `takenWords`: decisions and
 * messages that earlier executions have taken.
 */
export function registerAgent(
  name: string,
  hooks: StatusHooks,
  { unheard, lastStep, takenWords }: EarlierRun,
): RunningAgent {
  const entry = newEntry(name, hooks, lastStep);
  for (const text of unheard) entry.inbox.add(text);
  const all = registry();
  const scope = all.agents.push(entry) - 1;
  const { control, pause, taken } = (all.gate ??= createGate(new TakenWords(takenWords)));
  let removeClock = () => undefined as unknown;
  const earlyEvents = () => entry.events.splice(0);
  return {
    scope,
    earlyEvents,
    control,
    pause,
    taken,
    inbox: entry.inbox,
    started(loop) {
      entry.loop = loop;
      loop.rewindTo = entry.rewindTo;
      entry.extend(entry.allowance);
      for (const event of earlyEvents()) loop.emit?.(event);
      removeClock = pause.addClock(loop.deadline);
      // A pause before this point could not be reported.
      if (pause.isOn) onStatusChange();
    },
    ended() {
      entry.isOver = true;
      entry.consumption = consumptionOf(entry);
      entry.loop = undefined;
      removeClock();
    },
  };
}

/** Sets the handlers of decisions and messages. */
function createGate(taken: TakenWords): NonNullable<Registry['gate']> {
  const authorizer = createAuthorizer(authorizingAgent);
  return {
    taken,
    control: createControl(workflowState, onWaitingChange, authorizer, taken),
    pause: createSteering({
      taken,
      agents: runningAgents,
      authorizer,
      onMessage: emitMessage,
      onPauseChange: onStatusChange,
    }),
  };
}

function newEntry(name: string, hooks: StatusHooks, lastStep: number): Entry {
  const entry: Entry = {
    name,
    hooks,
    loop: undefined,
    isOver: false,
    consumption: NOTHING,
    inbox: new Inbox(),
    allowance: {},
    events: [],
    rewindTo: undefined,
    get state() {
      const { loop, inbox } = entry;
      const isOurs = workflowInfo().workflowType === AGENT_RUN;
      return {
        inboxBytes: inbox.bytes,
        limits: limitsOf(loop?.manifest, loop?.counters),
        reached: loop?.limitReached,
        lastStep: isOurs ? (loop?.lastStep ?? lastStep) : undefined,
        isRewinding: (loop?.rewindTo ?? entry.rewindTo) !== undefined,
      };
    },
    extend(by) {
      const { loop } = entry;
      if (loop === undefined) {
        entry.allowance = addAllowance(entry.allowance, by);
        return;
      }
      if (raisedBy(by).length === 0) return;
      loop.counters.allowance = addAllowance(loop.counters.allowance ?? {}, by);
      loop.limitReached = undefined;
    },
    rewind(step) {
      const { loop } = entry;
      entry.inbox.take();
      if (loop === undefined) {
        entry.rewindTo = step;
        return;
      }
      loop.rewindTo = step;
      loop.stepsScope.cancel();
    },
  };
  return entry;
}

/** Sets the final status of the run, for later `status` queries. */
export function setEndStatus(status: RunStatus): void {
  registry().endStatus = status;
}

function runningAgents(): Entry[] {
  return registry().agents.filter(({ isOver }) => !isOver);
}

/** The agent whose config has `authorize`; its worker is asked about people's decisions and messages. */
function authorizingAgent(): string | undefined {
  return runningAgents().find(({ loop }) => loop?.manifest.authorizes === true)?.name;
}

/** Emits the event of a message to the run, or to its parent (`above`). It is emitted once, by the first running agent, for all agents of the workflow. */
function emitMessage(message: RunMessage, above?: true): void {
  const [first] = runningAgents();
  const event = { type: 'steered', message, ...(above ? { above } : {}) } as const;
  if (first?.loop === undefined) first?.events.push(event);
  else first.loop.emit?.(event);
}

function workflowState(): RunState {
  const { agents, gate } = registry();
  return {
    agent: agents.map(({ name }) => name).join(', '),
    status: currentStatus(),
    iterations: agents.reduce((sum, agent) => sum + consumptionOf(agent).iterations, 0),
    running: gate?.control.running() ?? [],
    waiting: boundedWaits(openWaits()),
    usage: agents.reduce((sum, agent) => addUsage(sum, consumptionOf(agent).usage), noUsage),
  };
}

function consumptionOf({ loop, consumption }: Entry): Consumption {
  if (loop === undefined) return consumption;
  const { iterations, usage } = loop.counters;
  return { iterations, usage };
}

function openWaits(): WaitingCall[] {
  return registry().gate?.control.waiting() ?? [];
}

/** `paused` comes before `waiting`: a paused run continues only when a person resumes it. */
function currentStatus(): RunStatus {
  const { endStatus, gate } = registry();
  if (endStatus !== undefined) return endStatus;
  if (gate?.pause.isOn === true) return 'paused';
  return openWaits().some(needsPerson) ? 'waiting' : 'running';
}

function onWaitingChange(): void {
  onStatusChange();
  for (const { hooks } of runningAgents()) hooks.waiting?.(openWaits());
}

function onStatusChange(): void {
  showStatus(currentStatus(), openWaits());
  for (const { hooks } of runningAgents()) hooks.status?.(currentStatus());
}
