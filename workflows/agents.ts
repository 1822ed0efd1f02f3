import type { TimelessEvent, WaitingCall } from '../agent/events.ts';
import type { Allowance } from '../agent/counters.ts';
import { addAllowance, raisedBy } from '../agent/rules/extension.ts';
import { limitsOf } from '../agent/rules/run-limits.ts';
import type { RunMessage } from '../agent/rules/run-messages.ts';
import { type RunStatus, addUsage, noUsage } from '../agent/vocabulary.ts';
import type { AgentLoop } from './agent-loop.ts';
import { type Control, createControl } from './control.ts';
import { Inbox } from './inbox.ts';
import type { RunState } from './messages.ts';
import type { Pause } from './pause.ts';
import { showStanding } from './status.ts';
import { type Steered, createSteering } from './steering.ts';

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
  loop: AgentLoop | undefined;
  isOver: boolean;
  /** What people said before the loop began. */
  granted: Allowance;
  untold: TimelessEvent[];
  hooks: StandingHooks;
}

const agents: Entry[] = [];
let gate: { control: Control; pause: Pause } | undefined;
let endedAs: RunStatus | undefined;

/** To be called before the first `await`. `unheard`: what people said to the run that it goes on from. */
export function enroll(name: string, hooks: StandingHooks, unheard: readonly string[] = []): RunningAgent {
  const entry = newEntry(name, hooks);
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
      entry.extend(entry.granted);
      for (const event of entry.untold.splice(0)) loop.emit?.(event);
      forgetClock = pause.addClock(loop.deadline);
      // Until now nobody could be told of it.
      if (pause.isOn) onStandingChange();
    },
    over() {
      entry.isOver = true;
      forgetClock();
    },
  };
}

function newEntry(name: string, hooks: StandingHooks): Entry {
  const entry: Entry = {
    name,
    hooks,
    loop: undefined,
    isOver: false,
    inbox: new Inbox(),
    granted: {},
    untold: [],
    limits: () => limitsOf(entry.loop?.manifest, entry.loop?.counters),
    reached: () => entry.loop?.limitWait.reached,
    extend(by) {
      const { loop } = entry;
      if (loop === undefined) {
        entry.granted = addAllowance(entry.granted, by);
        return;
      }
      if (raisedBy(by).length === 0) return;
      loop.counters.allowance = addAllowance(loop.counters.allowance ?? {}, by);
      loop.limitWait.end();
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
    iterations: agents.reduce((sum, { loop }) => sum + (loop?.counters.iterations ?? 0), 0),
    running: gate?.control.running() ?? [],
    waiting: waiting(),
    usage: agents.reduce((sum, { loop }) => addUsage(sum, loop?.counters.usage ?? noUsage), noUsage),
  };
}

function waiting(): WaitingCall[] {
  return gate?.control.waiting() ?? [];
}

/** A run that is paused goes on only when it is resumed, whatever else it waits for. */
function status(): RunStatus {
  if (endedAs !== undefined) return endedAs;
  if (gate?.pause.isOn === true) return 'paused';
  return waiting().length > 0 ? 'waiting' : 'running';
}

function onWaitingChange(): void {
  onStandingChange();
  for (const { hooks } of running()) hooks.waiting?.(waiting());
}

function onStandingChange(): void {
  showStanding(status(), waiting());
  for (const { hooks } of running()) hooks.status?.(status());
}
