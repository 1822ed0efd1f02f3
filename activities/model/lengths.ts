import type { TextLengths } from '../../agent/definition/price.ts';
import { promptLength } from '../../agent/transcript/request.ts';
import type { ModelExchange } from './ask-model.ts';

/** Counted only when needed, since most servers count tokens. */
export function lengthsOf({ request, reply }: ModelExchange): TextLengths {
  return {
    get prompt() {
      return promptLength(request.prompt);
    },
    get reply() {
      const calls = reply.toolCalls.map((call) => call.name + call.arguments).join('');
      return [reply.text, calls, reply.reasoning ?? ''].join('').length;
    },
  };
}
