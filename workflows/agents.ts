import type { WaitingCall } from '../agent/events.ts';
import { addUsage, noUsage } from '../agent/vocabulary.ts';
import type { AgentLoop } from './agent-loop.ts';
import { type Control, createControl } from './control.ts';
import type { RunState } from './messages.ts';
import { showWaiting } from './status.ts';

/** The agents of this workflow, by scope, and the one operator's gate they share. Module state is a workflow's own. */
export interface RunningAgent {
  readonly scope: number;
  readonly control: Control;
  /** Its loop has begun: `status` counts it. */
  begun(loop: AgentLoop): void;
  over(): void;
}

interface Entry {
  name: string;
  loop: AgentLoop | undefined;
  isOver: boolean;
  onWaiting: ((waiting: WaitingCall[]) => void) | undefined;
}

const agents: Entry[] = [];
let control: Control | undefined;

/** To be called before the first `await`. `onWaiting` is told what waits in the whole workflow, when that changes. */
export function enroll(name: string, onWaiting?: (waiting: WaitingCall[]) => void): RunningAgent {
  const entry: Entry = { name, loop: undefined, isOver: false, onWaiting };
  const scope = agents.push(entry) - 1;
  control ??= createControl(workflowState, onWaitingChange);
  return {
    scope,
    control,
    begun: (loop) => void (entry.loop = loop),
    over: () => void (entry.isOver = true),
  };
}

function workflowState(): RunState {
  const waiting = control?.waiting() ?? [];
  return {
    agent: agents.map(({ name }) => name).join(', '),
    status: waiting.length > 0 ? 'waiting' : 'running',
    iterations: agents.reduce((sum, { loop }) => sum + (loop?.counters.iterations ?? 0), 0),
    running: control?.running() ?? [],
    waiting,
    usage: agents.reduce((sum, { loop }) => addUsage(sum, loop?.counters.usage ?? noUsage), noUsage),
  };
}

function onWaitingChange(): void {
  const waiting = control?.waiting() ?? [];
  showWaiting(waiting);
  for (const { isOver, onWaiting } of agents) if (!isOver) onWaiting?.(waiting);
}
