import type { ModelPrompt } from '../definition/kind.ts';
import type { RequestParams } from '../definition/manifest.ts';
import { isObject } from '../values/json-object.ts';
import type { JsonObject } from '../values/vocabulary.ts';

/** Fields of `extra` about calls: refused beside no tools (OpenAI), and wrong where the request itself forbids calls. */
const ABOUT_CALLS = ['tool_choice', 'parallel_tool_calls', 'function_call'];

/** Fields of `extra` that give the reply another form than plain text, or other tools. */
const ABOUT_FORM = [
  ...ABOUT_CALLS,
  'tools',
  'functions',
  'response_format',
  'format',
  'structured_outputs',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'json_schema',
  'grammar',
];

/** The same in the options by provider of the AI SDK. */
const PROVIDER_CALLS = ['toolChoice', 'parallelToolCalls', 'disableParallelToolUse'];
const PROVIDER_FORM = [...PROVIDER_CALLS, 'responseFormat'];

const NO_TOOLS: Pick<Extract<ModelPrompt, { type: 'messages' }>, 'tools' | 'toolChoice'> = {};

/** The parameters that fit a request: those about calls stay away where the model may make none, and cannot overrule `toolChoice`. */
export function fittingParams(params: RequestParams, prompt: ModelPrompt): RequestParams {
  const { tools = [], toolChoice } = prompt.type === 'messages' ? prompt : NO_TOOLS;
  const mayCall = tools.length > 0 ? toolChoice === undefined : params.extra?.['tools'] !== undefined;
  return mayCall ? params : withoutFields(params, ABOUT_CALLS, PROVIDER_CALLS);
}

/** The parameters of a request for a text that is not the agent's answer: a summary, the question of a tool. */
export function plainParams(params: RequestParams): RequestParams {
  return withoutFields(params, ABOUT_FORM, PROVIDER_FORM);
}

function withoutFields(
  { extra, ...params }: RequestParams,
  fields: readonly string[],
  ofProviders: readonly string[],
): RequestParams {
  if (extra === undefined) return params;
  const kept = Object.entries(without(extra, fields)).map(
    ([name, value]) => [name, isObject(value) ? without(value, ofProviders) : value] as const,
  );
  return { ...params, extra: Object.fromEntries(kept) };
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}
