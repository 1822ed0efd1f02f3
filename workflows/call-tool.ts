import { activityId } from '../agent/calls.ts';
import type { ToolManifest } from '../agent/manifest.ts';
import { type CallEnd, afterFailure, toldByTool } from '../agent/rules/call-rules.ts';
import { type OperatorDecision, effectOf } from '../agent/rules/decisions.ts';
import type { ResultRef } from '../agent/transcript/entries.ts';
import type { ErrorInfo, Json } from '../agent/vocabulary.ts';
import { type AgentLoop, recordsWaits } from './agent-loop.ts';
import { logWaiting } from './emit.ts';
import type { OpenCall } from './open-call.ts';
import { runFailure } from './run-failure.ts';
import { scheduleOnce } from './schedule-once.ts';

/** A call that is over, with what it cost; `input` may be a person's. */
export interface EndedCall {
  input: Json;
  end: CallEnd;
  result?: ResultRef | undefined;
  /** Attempts that are known of; 0 where nothing was run. */
  attempts: number;
  /** When the step is told: a call whose end history does not say by itself is told with its turn. */
  told: 'before' | 'now' | 'with the turn';
}

/** One tool call, however often it is scheduled: until it has a result, or a person or a policy or the deadline ends it. */
export async function callTool(
  loop: AgentLoop,
  tool: ToolManifest,
  call: string,
  toolInput: Json,
): Promise<EndedCall> {
  const open = loop.control.open({
    id: activityId(loop.scope, call, 0),
    kind: 'tool',
    inputSchema: tool.inputSchema,
    recordsWaits: recordsWaits(loop.manifest),
    clock: loop.deadline,
    emit: loop.emit,
  });
  try {
    return await untilEnded(loop, tool, call, open, toolInput);
  } finally {
    loop.control.close(open);
    open.close();
  }
}

async function untilEnded(
  loop: AgentLoop,
  tool: ToolManifest,
  call: string,
  open: OpenCall,
  toolInput: Json,
): Promise<EndedCall> {
  let input = toolInput;
  let byPerson = false;
  let attempts = 0;
  for (;;) {
    if (loop.pause.isOn) await loop.pause.over();
    loop.emit?.({ type: 'tool_started', call: open.id, tool: tool.name, toolInput: input });
    const ended = await scheduleOnce(loop, { tool, call, open, input, byPerson });
    if (recordsWaits(loop.manifest)) open.clearWaitingWithin();
    attempts += ended.type === 'end' ? ended.attempts : 1;
    if (ended.type === 'end') {
      return { input, attempts, end: ended.end, result: ended.result, told: 'now' };
    }
    if (ended.type === 'cancelled') return { input, attempts, end: ended.end, told: 'with the turn' };

    const { error, checkpoint } = ended.failed;
    if (!toldByTool(tool, error)) loop.emit?.({ type: 'tool_failed', call: open.id, error, attempts: 0 });
    const cancelled = recordsWaits(loop.manifest) ? open.takeCancellation() : undefined;
    const next = afterFailure(tool, error, { cancelled, overdue: loop.deadline.passed });
    if (next.type === 'fail') throw runFailure(error);
    if (next.type === 'end') {
      return { input, attempts, end: next.end, told: toldByTool(tool, error) ? 'now' : 'with the turn' };
    }

    const effect = effectOf(await ask(loop, open, tool.name, input, error), error);
    if (effect.type === 'fail') throw runFailure(effect.error);
    if (effect.type === 'end' || effect.type === 'cancel') {
      const { observation } = effect;
      const fromTool = effect.type === 'end' && effect.fromTool;
      return { input, attempts, end: { observation, fromTool }, told: 'now' };
    }
    if (effect.type === 'again' && effect.input !== undefined) {
      input = effect.input;
      byPerson = recordsWaits(loop.manifest);
    }
    open.again(checkpoint);
  }
}

/** Waits for a person's decision on a call that failed: a tool's, or the model's. */
export function ask(
  { emit }: AgentLoop,
  open: OpenCall,
  tool: string,
  toolInput: Json,
  error: ErrorInfo,
): Promise<OperatorDecision> {
  const waiting = { call: open.id, n: open.n, tool, toolInput, reason: 'failed', error } as const;
  emit?.({ type: 'waiting', park: waiting });
  logWaiting(waiting);
  return open.wait(waiting);
}
