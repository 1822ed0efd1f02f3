import type { TurnDecision } from '../calls.ts';
import type { RunEvent } from '../events.ts';
import {
  type ErrorInfo,
  type Json,
  type RunStatus,
  type StopReason,
  type Usage,
  addUsage,
  noUsage,
} from '../vocabulary.ts';

/** What a model call decided, as far as two runs are compared: not how it was put. */
export type Decided =
  | { type: 'act'; actions: DecidedCall[] }
  | { type: 'finish'; output: Json }
  | { type: 'stop' }
  | { type: 'fail'; error: ErrorInfo };

export interface DecidedCall {
  tool: string;
  toolInput: Json;
}

/** How a run ended, and what its own model calls cost: those of its tools and sub-agents are not in it. */
export interface RunEnding {
  status: RunStatus;
  stopReason: StopReason | null;
  output: Json;
  error: ErrorInfo | null;
  iterations: number;
  usage: Usage;
}

/** A run as it is compared with another one: a decision for each model call, and its end. */
export interface RunOutline {
  decisions: Decided[];
  ending: RunEnding;
}

export function emptyOutline(): RunOutline {
  return {
    decisions: [],
    ending: {
      status: 'running',
      stopReason: null,
      output: null,
      error: null,
      iterations: 0,
      usage: noUsage,
    },
  };
}

/** Brings an outline up to date with one event. */
export function addToOutline({ decisions, ending }: RunOutline, event: RunEvent): void {
  if (event.type === 'model_ended') {
    decisions.push(decidedOf(event.turn.decision));
    if (event.closing !== true) ending.iterations++;
    ending.usage = addUsage(ending.usage, event.turn.usage);
  }
  if (event.type === 'run_ended') {
    const { status, stopReason, output, error } = event;
    Object.assign(ending, { status, stopReason, output, error });
  }
}

function decidedOf(decision: TurnDecision): Decided {
  switch (decision.type) {
    case 'act':
      return {
        type: 'act',
        actions: decision.actions.map(({ tool, toolInput }) => ({ tool, toolInput })),
      };
    case 'finish':
      return { type: 'finish', output: decision.output };
    case 'fail':
      return { type: 'fail', error: decision.error };
    case 'stop':
      return { type: 'stop' };
  }
}
