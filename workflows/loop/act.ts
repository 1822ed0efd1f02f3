import { CancellationScope } from '@temporalio/workflow';
import {
  type InlineCall,
  type ModelTurn,
  type PlannedAction,
  activityId,
  replyEntry,
} from '../../agent/calls/calls.ts';
import { presetEnd } from '../../agent/rules/call-rules.ts';
import type { KeptEnd } from '../../agent/calls/restart.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { type EndedCall, callTool } from '../call/call-tool.ts';
import { type Step, type Turn, boundedTurn } from '../run/turn.ts';

/**
 * Runs the actions of one turn, side by side; the steps keep the order of the calls, observations in place. `ends`: of a turn
 * that is taken up again, the calls that are over and were told.
 */
export async function act(
  loop: AgentLoop,
  turn: ModelTurn,
  actions: PlannedAction[],
  ends?: readonly KeptEnd[],
): Promise<Turn> {
  const { iterations } = loop.counters;
  const planned = actions.map((action, index) => {
    const call = `${iterations}.${index + 1}`;
    const id = activityId(loop.scope, call, loop.firstN);
    const made = turn.made?.find((one) => one.id === id);
    return { action, call, made, kept: ends?.find(({ entry }) => entry.call === call) };
  });
  if (loop.emit !== undefined && ends === undefined) emitPlanned(loop, turn, planned);
  const late: LateStep[] = [];
  try {
    const steps = await takeTogether(() => planned.map((one) => takeStep(loop, turn, one, late)));
    return boundedTurn({ reply: replyEntry(turn, String(iterations)), steps });
  } finally {
    late.sort((a, b) => a.index - b.index).forEach(({ emit }) => emit());
  }
}

interface Planned {
  action: PlannedAction;
  /** `3.1`. */
  call: string;
  /** Made with the model call. */
  made: InlineCall | undefined;
  kept: KeptEnd | undefined;
}

/** A call that fails the run takes the others of its turn with it: they are cancelled and awaited. */
async function takeTogether(start: () => Promise<Step>[]): Promise<Step[]> {
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

/** A step that is told when its turn is over, because only then history says how its call ended. */
interface LateStep {
  index: number;
  emit(): void;
}

/** Emits the actions of a turn, and at once the step of each that needs no run. */
function emitPlanned({ emit, manifest, scope }: AgentLoop, turn: ModelTurn, planned: Planned[]): void {
  for (const { action, call } of planned) {
    const { tool, toolInput, log = turn.text } = action;
    const id = activityId(scope, call, 0);
    const told = { tool, toolInput, log };
    emit?.({ type: 'action', call: id, action: told });
    const preset = presetEnd(action, manifest.tools);
    if (preset === undefined) continue;
    emit?.({ type: 'tool_started', call: id, tool: preset.startedAs, toolInput });
    const { observation } = preset.end;
    emit?.({ type: 'step', step: { action: told, observation, call: id, attempts: 0, durationMs: 0 } });
  }
}

async function takeStep(
  loop: AgentLoop,
  turn: ModelTurn,
  { action, call, made, kept }: Planned,
  late: LateStep[],
): Promise<Step> {
  if (kept !== undefined) return { ...kept, result: undefined };
  const { log = turn.text, tool, toolCallId } = action;
  const id = activityId(loop.scope, call, 0);
  const startedAt = loop.emit && Date.now();
  const { input, end, result, attempts, told } = await endedCall(loop, call, action, made);
  const step = { action: { tool, toolInput: input, log }, observation: end.observation };
  const hasEnd = made?.result !== undefined || made?.failed !== undefined;
  const emit = () =>
    loop.emit?.({
      type: 'step',
      step: { ...step, call: id, attempts, durationMs: hasEnd ? made.ms : Date.now() - (startedAt ?? 0) },
    });
  if (told === 'now') emit();
  if (told === 'with the turn') late.push({ index: Number(call.slice(call.indexOf('.') + 1)), emit });
  return {
    entry: { type: 'step', call, ...step, toolCallId },
    result,
    fromTool: end.fromTool,
  };
}

async function endedCall(
  loop: AgentLoop,
  call: string,
  action: PlannedAction,
  made: InlineCall | undefined,
): Promise<EndedCall> {
  const { tools } = loop.manifest;
  const preset = presetEnd(action, tools);
  if (preset !== undefined) return { input: action.toolInput, end: preset.end, attempts: 0, told: 'before' };
  const manifest = tools.find(({ name }) => name === action.tool);
  if (manifest === undefined) throw new Error('unreachable: a call that is not preset is of a known tool');
  return callTool(loop, manifest, call, action, made);
}
