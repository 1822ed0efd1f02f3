import type { Model, ModelRequest } from '../../models/model.ts';
import { defineModel } from '../../models/model.ts';

/** A ReAct reply that calls a tool. */
export function act(tool: string, input: string): string {
  return ` I need ${tool}.\nAction: ${tool}\nAction Input: ${input}`;
}

export function answer(text: string): string {
  return ` I now know the final answer\nFinal Answer: ${text}`;
}

export interface RecordingModel extends Model {
  requests: { step: string; request: ModelRequest }[];
}

/** A model in this process: `reply` gets the step ('3', '3.1') and what was asked. For tests that need no HTTP. */
export function modelOf(reply: (step: string, request: ModelRequest) => string): RecordingModel {
  const requests: RecordingModel['requests'] = [];
  const { call } = defineModel({
    call: async (request, { step }) => {
      requests.push({ step, request });
      return {
        text: reply(step, request),
        toolCalls: [],
        finishReason: 'stop',
        usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
      };
    },
  });
  return { call, requests };
}

/** A model that says these, one in each step, and then no more than an answer. */
export function script(...replies: string[]): RecordingModel {
  return modelOf((step) => replies[Number(step) - 1] ?? answer('end of script'));
}

/** The text a request asks with. */
export function promptOf(request: ModelRequest | undefined): string {
  return request?.prompt.type === 'text' ? request.prompt.text : JSON.stringify(request?.prompt);
}
