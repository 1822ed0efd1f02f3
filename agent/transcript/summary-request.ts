import type { AgentKind, ModelPrompt, PromptContext } from '../definition/kind.ts';
import type { RequestParams } from '../definition/manifest.ts';
import { SUMMARY_REQUEST } from '../observation/observations.ts';
import { plainParams } from '../prompt/fitting-params.ts';
import { validPrompt } from '../prompt/valid-prompt.ts';
import { type ModelRequest, renderRequest } from './request.ts';

/** The request for a summary: the prompt of the old turns, which the provider has seen, and what to write at its end. */
export function renderSummaryRequest(kind: AgentKind, context: PromptContext): ModelRequest {
  const request = renderRequest(kind, context);
  return {
    ...request,
    stop: [],
    params: summaryParams(request.params),
    prompt: validPrompt(withRequest(request.prompt)),
  };
}

/** The agent's `maxTokens` is for one of its replies. Legacy completions have a small default bound. */
export function summaryParams({ maxTokens: _ofReplies, ...ofAgent }: RequestParams): RequestParams {
  const params = plainParams(ofAgent);
  return params.api === 'completions' ? { ...params, maxTokens: COMPLETIONS_TOKENS } : params;
}

const COMPLETIONS_TOKENS = 2_048;

function withRequest(prompt: ModelPrompt): ModelPrompt {
  if (prompt.type === 'text') return { type: 'text', text: `${prompt.text}\n\n${SUMMARY_REQUEST}` };
  const { messages, tools = [] } = prompt;
  const request = { role: 'user', content: SUMMARY_REQUEST } as const;
  return {
    ...prompt,
    messages: [...messages, request],
    ...(tools.length > 0 && { toolChoice: 'none' }),
  };
}
