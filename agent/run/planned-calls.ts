import type { ModelTurn } from '../calls/calls.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { presetEnd } from '../rules/call-rules.ts';
import { nextCall } from './call-next.ts';
import { type Transition, newCall } from './call-state.ts';

/** Returns the tool calls of a turn, in order, with their events. A call that needs no schedule has already ended. `modelCall`: id of the turn's model call. */
export function plannedCalls(
  modelCall: string,
  { text, decision }: Pick<ModelTurn, 'text' | 'decision'>,
  { tools, firstN }: { tools: readonly ToolManifest[]; firstN: number },
): Transition[] {
  if (decision.type !== 'act') return [];
  return decision.actions.map((planned, index) => {
    const id = `${modelCall}.${index + 1}`;
    const tool = tools.find(({ name }) => name === planned.tool);
    const call = newCall({ id, kind: 'tool', tool, planned, log: text, firstN });
    const action = { type: 'action', call: id, action: call.action } as const;
    const marks = {
      ...(tool?.client === true && { client: true as const }),
      ...(tool?.background === true && { background: true as const }),
    };
    const preset = presetEnd(planned, tools);
    if (preset === undefined) return { call, events: [{ ...action, ...marks }] };
    const { startedAs, end } = preset;
    const started = {
      type: 'tool_started',
      call: id,
      tool: startedAs,
      toolInput: planned.toolInput,
    } as const;
    const done = nextCall(call, { type: 'observed', observation: end.observation });
    return { call: done.call, events: [action, started, ...done.events] };
  });
}
