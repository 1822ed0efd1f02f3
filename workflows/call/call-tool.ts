import { type InlineCall, type PlannedAction, activityId } from '../../agent/calls/calls.ts';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import { needsApproval, withApproved } from '../../agent/rules/approval.ts';
import { askTimeoutOf, unanswered } from '../../agent/rules/waiting.ts';
import { type CallEnd, cancelledEnd } from '../../agent/rules/call-rules.ts';
import { type Effect, effectOf } from '../../agent/rules/decisions.ts';
import { earlierCall, repeatedError } from '../../agent/rules/repeated.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import { type Json, addUsage } from '../../agent/values/vocabulary.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { type Question, ask } from './ask.ts';
import { runsLive, unasked } from '../run/recorded-call.ts';
import { runFailure } from '../temporal/run-failure.ts';
import { type Schedule, scheduleOnce } from './schedule-once.ts';
import { settleFailed } from './settle-failed.ts';

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

/** A call under way: what its next schedule is made of, and what it took so far. */
interface CallState extends Schedule {
  attempts: number;
  /** Schedules in a row of which it is certain that they did nothing, though their call may take effect once only. */
  lost: number;
}

/** What a person is asked of a call; its tool and input are known. */
interface CallQuestion extends Omit<Question, 'tool' | 'toolInput' | 'timeout'> {
  /** The schedule that led here has ended; what it had stored is for the next one. */
  after?: { checkpoint: Json | undefined };
}

/** One tool call, however often it is scheduled, and if its first attempt was `made` already: until it has a result, or a person or a policy or the deadline ends it. */
export async function callTool(
  loop: AgentLoop,
  tool: ToolManifest,
  call: string,
  action: PlannedAction,
  made?: InlineCall,
): Promise<EndedCall> {
  const open = loop.control.open({
    id: activityId(loop.scope, call, 0),
    kind: 'tool',
    firstN: loop.firstN,
    inputSchema: tool.inputSchema,
    clock: loop.deadline,
    emit: loop.emit,
    onUsed: (usage) => (loop.counters.usage = addUsage(loop.counters.usage, usage)),
  });
  const state = {
    tool,
    call,
    open,
    input: action.toolInput,
    byPerson: false,
    live: false,
    made,
    attempts: 0,
    lost: 0,
  };
  try {
    return await untilEnded(loop, state, action, questionsBefore(loop, tool, action));
  } finally {
    loop.control.close(open);
    open.close();
  }
}

/** What a person is asked before anything is run. */
function questionsBefore(loop: AgentLoop, tool: ToolManifest, action: PlannedAction): CallQuestion[] {
  const questions = ofEarlierCall(loop, action, action.toolInput);
  if (needsApproval(action, loop.counters.approved)) {
    questions.push({ reason: 'approval', error: action.approval?.error });
  }
  if (tool.human === true) questions.push({ reason: 'deferred' });
  return questions;
}

/** Whether a call may be made that was made before, in a step that was dropped. */
function ofEarlierCall({ done }: AgentLoop, action: PlannedAction, input: Json): CallQuestion[] {
  const earlier = earlierCall(done, action, input);
  return earlier === undefined ? [] : [{ reason: 'repeated', error: repeatedError(earlier) }];
}

async function untilEnded(
  loop: AgentLoop,
  state: CallState,
  action: PlannedAction,
  questions: CallQuestion[],
): Promise<EndedCall> {
  for (;;) {
    const next = questions.shift() ?? (await runOnce(loop, state));
    if (next === undefined) continue;
    const asked = state.input;
    const ended = 'end' in next ? next : await askPerson(loop, state, next);
    if (ended !== undefined) return ended;
    if (state.input !== asked) questions.unshift(...ofEarlierCall(loop, action, state.input));
    // What a person is asked again is asked of a person.
    if (state.tool.human === true && questions.length === 0) questions.push({ reason: 'deferred' });
  }
}

/** One schedule of the call: its end, or what a person has to be asked; undefined: it has to be scheduled again. */
async function runOnce(loop: AgentLoop, state: CallState): Promise<EndedCall | CallQuestion | undefined> {
  if (loop.pause.isOn) await loop.pause.over();
  const { tool, open, input } = state;
  loop.emit?.({ type: 'tool_started', call: open.id, tool: tool.name, toolInput: input });
  const ended = await scheduleOnce(loop, state);
  if (tool.agent !== undefined) loop.pause.childEnded(activityId(loop.scope, state.call, open.n));
  open.clearWaitingWithin();
  state.attempts += ended.type === 'end' || ended.type === 'deferred' ? ended.attempts : 1;
  const { attempts } = state;
  if (ended.type === 'end') return { input, attempts, end: ended.end, result: ended.result, told: 'now' };
  if (ended.type === 'cancelled') return { input, attempts, end: ended.end, told: 'with the turn' };
  if (ended.type === 'deferred') {
    const { note, token } = ended;
    const answer = open.takeKept(token);
    if (answer?.type === 'resolve')
      return { input, attempts, end: { observation: answer.output, fromTool: true }, told: 'now' };
    return { reason: 'deferred', note, token, after: { checkpoint: undefined } };
  }

  const { error, checkpoint } = ended.failed;
  if (runsLive(loop, tool, error)) {
    loop.emit?.({ type: 'tool_failed', call: open.id, error, attempts: 0 });
    open.again(checkpoint);
    state.live = true;
    return undefined;
  }
  const settled = await settleFailed(loop, state, ended, state.lost);
  switch (settled.type) {
    case 'end':
      return { ...settled, input, attempts };
    case 'ask':
      return { reason: settled.reason, error: settled.error, after: { checkpoint } };
    case 'again':
      state.lost++;
      open.again(checkpoint);
      return undefined;
  }
}

/** A person's word, or the lack of it, is the call's end; undefined: it is run (again). */
async function askPerson(
  loop: AgentLoop,
  state: CallState,
  { after, ...question }: CallQuestion,
): Promise<EndedCall | undefined> {
  const { tool, open, input, attempts } = state;
  if (loop.recorded !== undefined) throw unasked(tool.name, question);
  const ended = question.reason === 'doubt' ? undefined : endedBeforeWait(loop, state);
  if (ended !== undefined) return ended;
  if (tool.human === true && question.reason === 'deferred') {
    loop.emit?.({ type: 'tool_started', call: open.id, tool: tool.name, toolInput: input });
  }
  const timeout = askTimeoutOf(loop.manifest, tool);
  const decision = await ask(loop, open, { tool: tool.name, toolInput: input, ...question, timeout });
  if (decision === undefined) return endUnanswered(loop, state, question);

  const effect = effectOf(decision, question.error);
  switch (effect.type) {
    case 'fail':
      throw runFailure(effect.error);
    case 'end':
    case 'cancel': {
      const end = { observation: effect.observation, fromTool: effect.type === 'end' && effect.fromTool };
      return { input, attempts, end, told: 'now' };
    }
    case 'again':
      goAgain(loop, state, effect);
      state.lost = 0;
      if (after !== undefined) open.again(after.checkpoint);
      return undefined;
    case 'now':
    case 'none':
    case 'stop':
      throw new Error('unreachable: none of these ends the wait of a tool call');
  }
}

/** A cancellation that was accepted, or the run's time limit, which came before the call began to wait. */
function endedBeforeWait(
  { deadline }: AgentLoop,
  { open, input, attempts }: CallState,
): EndedCall | undefined {
  const cancelled = open.takeCancellation();
  if (cancelled === undefined && !deadline.passed) return undefined;
  return {
    input,
    attempts,
    end: cancelledEnd({ cancelled, overdue: deadline.passed }),
    told: 'with the turn',
  };
}

function goAgain(
  { counters }: AgentLoop,
  state: CallState,
  { input, remember }: Extract<Effect, { type: 'again' }>,
): void {
  if (input !== undefined) {
    state.input = input;
    state.byPerson = true;
  }
  if (remember === undefined) return;
  counters.approved = withApproved(counters.approved, state.tool.name, state.input, remember);
}

function endUnanswered(
  { manifest }: AgentLoop,
  { tool, input, attempts }: CallState,
  { reason }: CallQuestion,
): EndedCall {
  const timeout = askTimeoutOf(manifest, tool);
  if (timeout === undefined) throw new Error('unreachable: without a time-out a person is waited for');
  const next = unanswered(timeout, { tool: tool.name, reason });
  if (next.type === 'fail') throw runFailure(next.error);
  return { input, attempts, end: next.end, told: 'with the turn' };
}
