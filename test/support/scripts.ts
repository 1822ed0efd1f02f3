import type { ConfigDefinition } from '../../config/define.ts';
import type { ToolCall } from '../../agent/values/vocabulary.ts';
import type { Model, ModelRequest } from '../../adapters/models/model.ts';
import { defineModel } from '../../adapters/models/model.ts';
import type { createGate } from './gate.ts';

/** A ReAct reply that calls a tool. */
export function act(tool: string, input: string): string {
  return ` I need ${tool}.\nAction: ${tool}\nAction Input: ${input}`;
}

export function answer(text: string): string {
  return ` I now know the final answer\nFinal Answer: ${text}`;
}

/** Agents without `kind` get the text format that `act` and `answer` of scripts.ts write, in place of the default. */
export function inTextFormat(config: ConfigDefinition): ConfigDefinition {
  return { ...config, agents: config.agents.map((agent) => ({ kind: 'zero-shot', ...agent })) };
}

export interface RecordingModel extends Model {
  requests: { step: string; request: ModelRequest }[];
}

/** A native call of a tool that takes one string. */
export function toolCall(name: string, input = 'x', id = name): ToolCall {
  return { id, name, arguments: JSON.stringify({ __arg1: input }) };
}

/** A model's reply: a text, tool calls, or both. */
type Said = string | { text?: string; toolCalls: ToolCall[] };

/** A model in this process: `reply` gets the step ('3', '3.1') and what was asked. For tests that need no HTTP. */
export function modelOf(
  reply: (step: string, request: ModelRequest) => Said | Promise<Said>,
): RecordingModel {
  const requests: RecordingModel['requests'] = [];
  const { call } = defineModel({
    call: async (request, { step }) => {
      requests.push({ step, request });
      const said = await reply(step, request);
      const { text = '', toolCalls } = typeof said === 'string' ? { text: said, toolCalls: [] } : said;
      return {
        text,
        toolCalls,
        finishReason: 'stop',
        usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
      };
    },
  });
  return { call, requests };
}

/** The same model, each of whose replies takes so many tokens. */
export function costing(totalTokens: number, { call }: Model): Model {
  const usage = { promptTokens: totalTokens, completionTokens: 0, totalTokens };
  return defineModel({ call: async (...asked) => ({ ...(await call(...asked)), usage }) });
}

/** A model that says these, one in each step, and then no more than an answer. */
export function script(...replies: string[]): RecordingModel {
  return modelOf((step) => replies[Number(step) - 1] ?? answer('end of script'));
}

/** A model that writes a text in two halves, the second one when the gate is opened. */
export function inHalves(gate: ReturnType<typeof createGate>): Model {
  return defineModel({
    async call(_request, { onText }) {
      onText('The first half, ');
      await gate.pass();
      return { text: 'The first half, and the second.', toolCalls: [], finishReason: 'stop' };
    },
  });
}

/** The text a request asks with. */
export function promptOf(request: ModelRequest | undefined): string {
  return request?.prompt.type === 'text' ? request.prompt.text : JSON.stringify(request?.prompt);
}
