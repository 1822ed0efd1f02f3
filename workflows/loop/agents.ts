import { workflowInfo } from '@temporalio/workflow';
import type { TimelessEvent } from '../../agent/run/events.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import type { Allowance, Counters } from '../../agent/limits/counters.ts';
import { addAllowance, raisedBy } from '../../agent/limits/extension.ts';
import { limitsOf } from '../../agent/limits/run-limits.ts';
import { needsPerson } from '../../agent/rules/waiting.ts';
import { boundedWaits } from '../../agent/run/waits-change.ts';
import type { RunMessage } from '../../agent/rules/run-messages.ts';
import { type RunStatus, addUsage, noUsage } from '../../agent/values/vocabulary.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { type Control, createControl } from '../operator/control.ts';
import { Inbox } from '../operator/inbox.ts';
import { AGENT_RUN, type RunState } from '../messages.ts';
import type { Pause } from '../operator/pause.ts';
import { showStatus } from '../web-ui/current-details.ts';
import { type Steered, createSteering } from '../operator/steering.ts';

/** The agents of this workflow, by scope, and the one operator's gate they share. Module state is a workflow's own. */
export interface RunningAgent {
  readonly scope: number;
  readonly control: Control;
  readonly pause: Pause;
  readonly inbox: Inbox;
  /** Its loop has begun: `status` counts it. */
  begun(loop: AgentLoop): void;
  over(): void;
}

/** Told of the whole workflow, when it changes. */
export interface StandingHooks {
  waiting?(waiting: WaitingCall[]): void;
  status?(status: RunStatus): void;
}

interface Entry extends Steered {
  name: string;
  /** undefined before the loop has begun, and when it is over: its transcript is large. */
  loop: AgentLoop | undefined;
  isOver: boolean;
  /** At its end. */
  spent: Spent;
  /** What people said before the loop began. */
  granted: Allowance;
  untold: TimelessEvent[];
  rewindTo: number | undefined;
  hooks: StandingHooks;
}

type Spent = Pick<Counters, 'iterations' | 'usage'>;

const nothing: Spent = { iterations: 0, usage: noUsage };

const agents: Entry[] = [];
let gate: { control: Control; pause: Pause } | undefined;
let endedAs: RunStatus | undefined;

/** To be called before the first `await`. `unheard`: what people said to the run that it goes on from; `lastStep`: the last that it can be rewound to. */
export function enroll(
  name: string,
  hooks: StandingHooks,
  { unheard, lastStep }: { unheard: readonly string[]; lastStep: number },
): RunningAgent {
  const entry = newEntry(name, hooks, lastStep);
  for (const text of unheard) entry.inbox.add(text);
  const scope = agents.push(entry) - 1;
  gate ??= {
    control: createControl(workflowState, onWaitingChange),
    pause: createSteering({ agents: running, said, onPauseChange: onStandingChange }),
  };
  const { control, pause } = gate;
  let forgetClock = () => undefined as unknown;
  return {
    scope,
    control,
    pause,
    inbox: entry.inbox,
    begun(loop) {
      entry.loop = loop;
      loop.rewindTo = entry.rewindTo;
      entry.extend(entry.granted);
      for (const event of entry.untold.splice(0)) loop.emit?.(event);
      forgetClock = pause.addClock(loop.deadline);
      // Until now nobody could be told of it.
      if (pause.isOn) onStandingChange();
    },
    over() {
      entry.isOver = true;
      entry.spent = spentBy(entry);
      entry.loop = undefined;
      forgetClock();
    },
  };
}

function newEntry(name: string, hooks: StandingHooks, lastStep: number): Entry {
  const entry: Entry = {
    name,
    hooks,
    loop: undefined,
    isOver: false,
    spent: nothing,
    inbox: new Inbox(),
    granted: {},
    untold: [],
    rewindTo: undefined,
    limits: () => limitsOf(entry.loop?.manifest, entry.loop?.counters),
    reached: () => entry.loop?.limitReached,
    extend(by) {
      const { loop } = entry;
      if (loop === undefined) {
        entry.granted = addAllowance(entry.granted, by);
        return;
      }
      if (raisedBy(by).length === 0) return;
      loop.counters.allowance = addAllowance(loop.counters.allowance ?? {}, by);
      loop.limitReached = undefined;
    },
    lastStep: () =>
      workflowInfo().workflowType === AGENT_RUN ? (entry.loop?.lastStep ?? lastStep) : undefined,
    isRewinding: () => (entry.loop?.rewindTo ?? entry.rewindTo) !== undefined,
    rewind(step) {
      const { loop } = entry;
      entry.inbox.take();
      if (loop === undefined) {
        entry.rewindTo = step;
        return;
      }
      loop.rewindTo = step;
      loop.scopeAround.cancel();
    },
  };
  return entry;
}

/** The run that is this workflow is over: whoever asks it from now on hears how it ended. */
export function endStatus(as: RunStatus): void {
  endedAs = as;
}

function running(): Entry[] {
  return agents.filter(({ isOver }) => !isOver);
}

/** What was said is told once, however many agents run here. */
function said(message: RunMessage): void {
  const [first] = running();
  const event = { type: 'steered', message } as const;
  if (first?.loop === undefined) first?.untold.push(event);
  else first.loop.emit?.(event);
}

function workflowState(): RunState {
  return {
    agent: agents.map(({ name }) => name).join(', '),
    status: status(),
    iterations: agents.reduce((sum, agent) => sum + spentBy(agent).iterations, 0),
    running: gate?.control.running() ?? [],
    waiting: boundedWaits(waiting()),
    usage: agents.reduce((sum, agent) => addUsage(sum, spentBy(agent).usage), noUsage),
  };
}

function spentBy({ loop, spent }: Entry): Spent {
  if (loop === undefined) return spent;
  const { iterations, usage } = loop.counters;
  return { iterations, usage };
}

function waiting(): WaitingCall[] {
  return gate?.control.waiting() ?? [];
}

/** A run that is paused goes on only when it is resumed, whatever else it waits for. */
function status(): RunStatus {
  if (endedAs !== undefined) return endedAs;
  if (gate?.pause.isOn === true) return 'paused';
  return waiting().some(needsPerson) ? 'waiting' : 'running';
}

function onWaitingChange(): void {
  onStandingChange();
  for (const { hooks } of running()) hooks.waiting?.(waiting());
}

function onStandingChange(): void {
  showStatus(status(), waiting());
  for (const { hooks } of running()) hooks.status?.(status());
}
