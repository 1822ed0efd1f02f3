import { approvalId } from '../start/approvals.ts';
import type { AguiToolCall, RunMessage } from './agui-types.ts';

/** The messages of a run, as a client has them that received all events. `call`: `3` for a model call, `3.1` for a tool call. */
export interface RunMessages {
  write(call: string, type: 'text' | 'reasoning', delta: string): void;
  addTool(call: string, tool: AguiToolCall): void;
  /** `client`: the wait of a call that the client carried out. */
  addResult(call: string, content: string, client?: number): void;
  drop(call: string): void;
  list(): RunMessage[];
}

export function createRunMessages(run: string): RunMessages {
  const ids = idsOf(run);
  let messages: RunMessage[] = [];

  return { write, addTool, addResult, drop, list: () => structuredClone(messages) };

  function write(call: string, type: 'text' | 'reasoning', delta: string): void {
    const message = type === 'text' ? assistantOf(call) : reasoningOf(call);
    message.content = (message.content ?? '') + delta;
  }

  function addTool(call: string, tool: AguiToolCall): void {
    (assistantOf(modelCallOf(call)).toolCalls ??= []).push(tool);
  }

  function addResult(call: string, content: string, client?: number): void {
    const toolCallId = ids.tool(call, client);
    const result: RunMessage = { id: ids.result(call), role: 'tool', toolCallId, content };
    const owner = messages.findIndex(({ id }) => id === ids.text(modelCallOf(call)));
    const next = messages.findIndex(({ role }, index) => index > owner && role !== 'tool');
    messages.splice(next === -1 ? messages.length : next, 0, result);
  }

  /** A snapshot removes no message of reasoning from the client, so its text is empty from now on. */
  function drop(call: string): void {
    const gone = [ids.text(call), ids.result(call)];
    messages = messages.filter(({ id }) => !gone.includes(id));
    for (const message of messages) {
      if (message.id === ids.reasoning(call) && message.role === 'reasoning') message.content = '';
      if (message.role !== 'assistant' || message.toolCalls === undefined) continue;
      message.toolCalls = message.toolCalls.filter(
        ({ id }) => id !== ids.tool(call) && !id.startsWith(`${ids.tool(call)}:`),
      );
    }
  }

  function assistantOf(call: string): Extract<RunMessage, { role: 'assistant' }> {
    const id = ids.text(call);
    const found = messages.find((one) => one.id === id);
    if (found?.role === 'assistant') return found;
    const made = { id, role: 'assistant' as const };
    messages.push(made);
    return made;
  }

  function reasoningOf(call: string): Extract<RunMessage, { role: 'reasoning' }> {
    const id = ids.reasoning(call);
    const found = messages.find((one) => one.id === id);
    if (found?.role === 'reasoning') return found;
    const made = { id, role: 'reasoning' as const, content: '' };
    messages.push(made);
    return made;
  }
}

/** Ids of the messages and tool calls of a run. Every gateway makes the same ones. */
export function idsOf(run: string) {
  return {
    text: (call: string) => `${run}:${call}`,
    reasoning: (call: string) => `${run}:${call}:reasoning`,
    /** `client`: the wait of a call that the client carries out. */
    tool: (call: string, client?: number) =>
      client === undefined ? `${run}:${call}` : approvalId({ run, call, n: client }),
    result: (call: string) => `${run}:${call}:result`,
    isOwn: (id: string) => id.startsWith(`${run}:`),
  };
}

export function modelCallOf(call: string): string {
  return call.split('.')[0] ?? call;
}
