import { CancellationScope } from '@temporalio/workflow';
import { type ModelTurn, type PlannedAction, activityId } from '../agent/calls.ts';
import { presetEnd } from '../agent/rules/call-rules.ts';
import type { ReplyEntry } from '../agent/transcript/entries.ts';
import { type AgentLoop, recordsWaits } from './agent-loop.ts';
import { type Outcome, callTool } from './call-tool.ts';
import type { Step, Turn } from './turn.ts';

/** Runs the actions of one turn, side by side; the steps keep the order of the calls, observations in place. */
export async function act(loop: AgentLoop, turn: ModelTurn, actions: PlannedAction[]): Promise<Turn> {
  const { iterations } = loop.counters;
  const late: LateStep[] = [];
  const take = (action: PlannedAction, index: number) =>
    takeStep(loop, turn, action, `${iterations}.${index + 1}`, late);
  try {
    const [only] = actions;
    // Nearly all turns have one action, and in the sandbox each promise costs: the SDK records its stack.
    const steps =
      only !== undefined && actions.length === 1
        ? [await take(only, 0)]
        : await takeTogether(loop, () => actions.map(take));
    return { reply: replyOf(turn, String(iterations)), steps };
  } finally {
    late.sort((a, b) => a.index - b.index).forEach(({ emit }) => emit());
  }
}

/** A call that fails the run takes the others of its turn with it: they are cancelled and awaited. */
async function takeTogether(loop: AgentLoop, start: () => Promise<Step>[]): Promise<Step[]> {
  if (!recordsWaits(loop.manifest)) return Promise.all(start());
  const scope = new CancellationScope();
  let taking: Promise<Step>[] = [];
  try {
    return await scope.run(() => Promise.all((taking = start())));
  } catch (failure) {
    scope.cancel();
    await CancellationScope.nonCancellable(() => Promise.allSettled(taking));
    throw failure;
  }
}

function replyOf({ text, toolCalls }: ModelTurn, call: string): ReplyEntry | undefined {
  return toolCalls === undefined ? undefined : { type: 'reply', call, text, toolCalls };
}

/** A step that is told when its turn is over, because only then history says how its call ended. */
interface LateStep {
  index: number;
  emit(): void;
}

async function takeStep(
  loop: AgentLoop,
  turn: ModelTurn,
  action: PlannedAction,
  call: string,
  late: LateStep[],
): Promise<Step> {
  const { tool, toolInput, log = turn.text, toolCallId } = action;
  const id = activityId(loop.scope, call, 0);
  loop.emit?.({ type: 'action', call: id, action: { tool, toolInput, log } });
  const startedAt = loop.emit && Date.now();
  const { input, end, result, attempts, isRecorded } = await outcomeOf(loop, id, call, action);
  const step = { action: { tool, toolInput: input, log }, observation: end.observation };
  const emit = () =>
    loop.emit?.({
      type: 'step',
      step: { ...step, call: id, attempts, durationMs: Date.now() - (startedAt ?? 0) },
    });
  if (isRecorded) emit();
  else late.push({ index: Number(call.slice(call.indexOf('.') + 1)), emit });
  return {
    entry: { type: 'step', call, ...step, ...(toolCallId === undefined ? {} : { toolCallId }) },
    result,
    fromTool: end.fromTool,
  };
}

async function outcomeOf(loop: AgentLoop, id: string, call: string, action: PlannedAction): Promise<Outcome> {
  const { tool, toolInput } = action;
  const { tools } = loop.manifest;
  const preset = presetEnd(action, tools);
  const manifest = tools.find(({ name }) => name === tool);
  if (preset === undefined && manifest !== undefined) return callTool(loop, manifest, call, toolInput);
  if (preset === undefined) throw new Error('unreachable: a call that is not preset is of a known tool');
  loop.emit?.({ type: 'tool_started', call: id, tool: preset.startedAs, toolInput });
  return { input: toolInput, end: preset.end, attempts: 0, isRecorded: true };
}
