import { CancellationScope } from '@temporalio/workflow';
import { activityId } from '../agent/calls.ts';
import type { ErrorInfo, OperatorDecision } from '../agent/events.ts';
import type { ToolManifest } from '../agent/manifest.ts';
import { CUT_CALL, cancelledTool, failedTool, skippedTool } from '../agent/observations.ts';
import type { ResultRef } from '../agent/transcript/entries.ts';
import type { Json } from '../agent/vocabulary.ts';
import { type ControlledCall, waitForDecision } from './control.ts';
import { runFailure } from './run-failure.ts';
import type { AgentLoop } from './run-state.ts';
import { tryTool } from './try-tool.ts';

/** What a call came to; `input` may be a person's. */
export interface Outcome {
  input: Json;
  observation: Json;
  result?: ResultRef;
  genuine: boolean;
  /** Attempts that are known of; 0 where nothing was run. */
  attempts: number;
}

/** One tool call, however often it is scheduled: until it has a result, or a person or a policy or the deadline ends it. */
export async function callTool(
  loop: AgentLoop,
  tool: ToolManifest,
  call: string,
  toolInput: Json,
): Promise<Outcome> {
  const id = activityId(loop.scope, call, 0);
  const open: ControlledCall = {
    id,
    n: 0,
    park: undefined,
    decision: undefined,
    scope: new CancellationScope(),
    childParks: [],
    pauseClock: (paused) => pauseClock(loop, paused),
  };
  loop.control.calls.set(id, open);
  try {
    let input = toolInput;
    let checkpoint: Json | undefined;
    let attempts = 0;
    for (;;) {
      loop.notify?.({ type: 'tool_started', call: id, tool: tool.name, toolInput: input });
      const tried = await tryTool({ loop, tool, call, open, input, checkpoint });
      attempts += tried.type === 'done' ? tried.attempts : 1;
      if (tried.type === 'done') return { input, attempts, ...tried.done };
      if (tried.type === 'cut') return { input, attempts, observation: CUT_CALL, genuine: false };
      if (tried.type === 'cancelled') {
        return { input, attempts, observation: cancelledTool(tried.reason), genuine: false };
      }
      const { error } = tried.failed;
      loop.notify?.({ type: 'tool_failed', call: id, error, attempts: 0 });
      if (tool.onFailure === 'fail') throw runFailure(error);
      // After the deadline nobody is asked any more.
      if (tool.onFailure === 'observe' || loop.overdue) {
        return { input, attempts, observation: failedTool(tool.name, error), genuine: false };
      }
      const decision = await ask(loop, tool, open, input, error);
      const ended = conclude(decision, error);
      if (ended !== undefined) return { input, attempts, ...ended };
      if (decision.type === 'retry' && decision.input !== undefined) input = decision.input;
      checkpoint = tried.failed.checkpoint;
      open.n++;
      open.scope = new CancellationScope();
    }
  } finally {
    loop.control.calls.delete(id);
    if (open.childParks.length > 0) pauseClock(loop, false);
  }
}

/** Time spent waiting for a person does not count against the run's time limit. */
async function ask(
  loop: AgentLoop,
  tool: ToolManifest,
  open: ControlledCall,
  toolInput: Json,
  error: ErrorInfo,
): Promise<OperatorDecision> {
  const park = { call: open.id, n: open.n, tool: tool.name, toolInput, reason: 'failed', error } as const;
  loop.notify?.({ type: 'waiting', park });
  pauseClock(loop, true);
  try {
    const decision = await waitForDecision(loop.control, open, park);
    loop.notify?.({ type: 'decided', call: open.id, decision });
    return decision;
  } finally {
    pauseClock(loop, false);
  }
}

function pauseClock(loop: AgentLoop, paused: boolean): void {
  if (paused) {
    if (loop.waits++ === 0) loop.waitingSinceMs = Date.now();
  } else if (--loop.waits === 0) {
    loop.counters.waitedMs += Date.now() - loop.waitingSinceMs;
  }
}

/** What a decision ends the call with; undefined when it is to be run again. */
function conclude(
  decision: OperatorDecision,
  error: ErrorInfo,
): { observation: Json; genuine: boolean } | undefined {
  switch (decision.type) {
    case 'retry':
      return undefined;
    case 'resolve':
      return { observation: decision.output, genuine: true };
    case 'skip':
      return { observation: skippedTool(decision.reason), genuine: false };
    case 'cancelCall':
      return { observation: cancelledTool(decision.reason), genuine: false };
    case 'abort': {
      const why = decision.reason === undefined ? '' : `: ${decision.reason}`;
      const message = `Aborted by the operator${why}. The call had failed: ${error.message}`;
      throw runFailure({ type: 'Aborted', message });
    }
  }
}
