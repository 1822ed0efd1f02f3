import { z } from 'zod';

/**
 * The rules of model servers for a request, as they were reported or seen: each refuses with the words of its server. Together they
 * are the strictest server there can be, and no real one has all of them.
 */

const Call = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.null(), z.array(z.looseObject({ type: z.string() }))]).optional(),
  tool_calls: z.array(Call).optional(),
  tool_call_id: z.string().optional(),
  reasoning_content: z.unknown().optional(),
});
const Body = z.looseObject({
  messages: z.array(Message),
  tools: z
    .array(z.object({ function: z.object({ name: z.string(), parameters: z.looseObject({}) }) }))
    .optional(),
});
type Body = z.output<typeof Body>;
type Message = z.output<typeof Message>;

export interface Refusal {
  status: number;
  message: string;
  code?: string;
}

type Rule = (body: Body) => Refusal | string | undefined;

/** Why a provider refuses a request; undefined: it takes the request. */
export function refusalOf(provider: ProviderName, body: unknown): Refusal | undefined {
  const parsed = Body.safeParse(body);
  if (parsed.error !== undefined) return { status: 422, message: z.prettifyError(parsed.error) };
  for (const rule of [...everywhere, ...providers[provider]]) {
    const refused = rule(parsed.data);
    if (refused !== undefined)
      return typeof refused === 'string' ? { status: 400, message: refused } : refused;
  }
  return undefined;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/u;

const callsOf = ({ messages }: Body) => messages.flatMap(({ tool_calls: calls = [] }) => calls);

const textOf = ({ content }: Message): string =>
  typeof content === 'string'
    ? content
    : content === null || content === undefined
      ? ''
      : JSON.stringify(content);

/** OpenAI's, which compatible servers take over. */
const everywhere: readonly Rule[] = [
  ({ messages }) => (messages.length === 0 ? "Invalid 'messages': empty array." : undefined),
  (body) => {
    const bad = callsOf(body).find(({ function: { name } }) => !NAME.test(name));
    return (
      bad &&
      `Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Got ${bad.function.name}`
    );
  },
  ({ messages }) =>
    messages.some(({ tool_calls: calls }) => calls?.length === 0)
      ? "Invalid 'tool_calls': empty array."
      : undefined,
  answersInPlace,
  ({ tools }) => (tools?.length === 0 ? "Invalid 'tools': empty array." : undefined),
  ({ tools = [] }) => {
    const bad = tools.find(({ function: { name } }) => !NAME.test(name));
    return bad && `Invalid 'tools[0].function.name': ${bad.function.name}`;
  },
  ({ tools = [] }) => {
    const bad = tools.find(({ function: { parameters } }) => !isObjectSchema(parameters));
    return bad && `Invalid schema for function '${bad.function.name}': object schema missing properties.`;
  },
  (body) => {
    const beside = ['tool_choice', 'parallel_tool_calls'].find((field) => body[field] !== undefined);
    return body.tools === undefined && beside !== undefined
      ? `Invalid value for '${beside}': '${beside}' is only allowed when 'tools' are specified.`
      : undefined;
  },
];

function isObjectSchema(schema: { [field: string]: unknown }): boolean {
  const combined = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((field) => field in schema);
  return schema['type'] === 'object' && typeof schema['properties'] === 'object' && !combined;
}

function answersInPlace({ messages }: Body): string | undefined {
  let open: string[] = [];
  for (const { role, tool_calls: calls = [], tool_call_id: answered = '' } of messages) {
    if (role === 'tool') {
      if (!open.includes(answered))
        return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      open = open.filter((id) => id !== answered);
      continue;
    }
    if (open.length > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages. Missing: ${open.join(', ')}`;
    open = calls.map(({ id }) => id);
  }
  return open.length > 0
    ? `An assistant message with 'tool_calls' must be followed by tool messages.`
    : undefined;
}

/** llama.cpp, vLLM, gateways to Anthropic: the arguments of earlier calls are parsed. */
const argumentsAreObjects: Rule = (body) => {
  for (const { function: made } of callsOf(body)) {
    let value: unknown;
    try {
      value = JSON.parse(made.arguments);
    } catch (error) {
      return { status: 500, message: `Failed to parse tool call arguments as JSON: ${String(error)}` };
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      return 'Input should be a valid dictionary: tool call arguments';
  }
  return undefined;
};

/** As the templates of Mistral, Llama and Gemma have it: calls and results do not count. */
const rolesAlternate: Rule = ({ messages }) => {
  const counted = messages.filter(
    ({ role, tool_calls: calls }) => role === 'user' || (role === 'assistant' && calls === undefined),
  );
  return counted.every(({ role }, at) => (role === 'user') === (at % 2 === 0))
    ? undefined
    : 'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...';
};

const nothingEmpty: Rule = ({ messages }) => {
  const at = messages.findIndex(
    (message) => message.role !== 'tool' && message.tool_calls === undefined && textOf(message).trim() === '',
  );
  return at < 0
    ? undefined
    : `Invalid request: the message at position ${at} with role '${messages[at]?.role}' must not be empty`;
};

const callsNeedTools: Rule = (body) =>
  callsOf(body).length > 0 && body.tools === undefined
    ? 'litellm.UnsupportedParamsError: Anthropic expects the `tools=` param to be passed in.'
    : undefined;

const idsMatch =
  (pattern: RegExp, words: (id: string) => string): Rule =>
  (body) => {
    const bad = callsOf(body).find(({ id }) => !pattern.test(id));
    return bad && words(bad.id);
  };

const providers = {
  openai: [idsMatch(/^.{1,40}$/su, () => "Invalid 'messages[1].tool_calls[0].id': string too long.")],
  mistral: [
    idsMatch(
      /^[a-zA-Z0-9]{9}$/u,
      (id) => `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
    ),
    ({ messages }) =>
      messages.some(({ role }, at) => role === 'user' && messages[at - 1]?.role === 'tool')
        ? { status: 400, message: "Unexpected role 'user' after role 'tool'", code: '3230' }
        : undefined,
    nothingEmpty,
  ],
  anthropicBehindLiteLLM: [
    callsNeedTools,
    argumentsAreObjects,
    nothingEmpty,
    idsMatch(
      /^[a-zA-Z0-9_-]+$/u,
      () => "messages.2.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    (body) => {
      const ids = callsOf(body).map(({ id }) => id);
      return new Set(ids).size < ids.length ? 'messages: `tool_use` ids must be unique' : undefined;
    },
    ({ messages }) =>
      messages.some(({ content }) => typeof content === 'string' && content !== '' && content.trim() === '')
        ? 'messages: text content blocks must contain non-whitespace text'
        : undefined,
  ],
  llamaCpp: [argumentsAreObjects, rolesAlternate],
  llamaCppPython: [
    ({ messages }) =>
      messages.some(({ content }) => content === null || content === undefined)
        ? { status: 500, message: "7 validation errors: Input should be 'system'" }
        : undefined,
  ],
  qwen: [
    argumentsAreObjects,
    ({ messages }) =>
      messages.some(({ role }, at) => role === 'system' && at > 0)
        ? 'System message must be at the beginning.'
        : undefined,
  ],
  moonshot: [
    nothingEmpty,
    ({ messages }) => {
      const at = messages.findIndex(({ tool_calls: calls, reasoning_content: thought }) => calls && !thought);
      return at < 0
        ? undefined
        : `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`;
    },
  ],
} satisfies { [name: string]: readonly Rule[] };

export type ProviderName = keyof typeof providers;

export const providerNames = Object.keys(providers) as ProviderName[]; // the keys of the object above
