import { z } from 'zod';
import type { Json } from '../../agent/values/vocabulary.ts';

/** As agents.py does it to LangChain's requests: what of one has to be the same, whatever the prompt's prose. */
export function essence(kind: string, question: string, body: unknown): Json {
  const { prompt, messages = [], stop, tools = [] } = bodySchema.parse(body);
  const stops = stop === undefined || stop.length === 0 ? {} : { stop };
  if (kind === 'zero-shot') {
    const text = prompt ?? messages[0]?.content ?? '';
    const named = /one of \[(.*)\]/u.exec(text)?.[1] ?? null;
    return { named, scratchpad: after(`Question: ${question}\nThought:`, text), ...stops };
  }
  if (kind === 'structured-chat') {
    const text = messages.at(-1)?.content ?? '';
    const withoutReminder = text.slice(0, text.lastIndexOf('\n ('));
    const history = messages.slice(1, -1).map(plain);
    return { history, scratchpad: after(`${question}\n\n`, withoutReminder), ...stops };
  }
  const place = messages.findLastIndex((message) => isQuestion(kind, question, message));
  return {
    history: messages.slice(1, place).map(plain),
    messages: messages.slice(place + 1).map(plain),
    ...stops,
    ...(tools.length === 0 ? {} : { tools: Object.fromEntries(tools.map(parameters)) }),
  };
}

const messageSchema = z.object({
  role: z.string(),
  content: z.string().nullish(),
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .optional(),
  tool_call_id: z.string().optional(),
});
type Message = z.output<typeof messageSchema>;

const toolSchema = z.object({
  function: z.object({
    name: z.string(),
    parameters: z.object({
      properties: z.record(z.string(), z.object({ type: z.string().catch('any') })).default({}),
      required: z.array(z.string()).default([]),
    }),
  }),
});

const bodySchema = z.object({
  prompt: z.string().optional(),
  messages: z.array(messageSchema).optional(),
  stop: z.array(z.string()).optional(),
  tools: z.array(toolSchema).optional(),
});

function after(mark: string, text: string): string {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`${JSON.stringify(mark)} is not in ${JSON.stringify(text)}`);
  return text.slice(at + mark.length);
}

function isQuestion(kind: string, question: string, { role, content }: Message): boolean {
  if (role !== 'user') return false;
  return kind === 'conversational'
    ? content?.startsWith('TOOLS\n') === true && content.endsWith(`\n\n${question}`)
    : content === question;
}

/**
 * Arguments are compared as values; of a framed observation, the observation. LangChain writes null for a message that only
 * calls tools; here it is an empty text, which more servers take.
 */
function plain({ role, content = null, tool_calls: calls = [], tool_call_id: id }: Message): Json {
  const framed = 'TOOL RESPONSE:\n---------------------\n';
  const said =
    role === 'user' && content?.startsWith(framed) === true
      ? { toolResponse: content.slice(framed.length, content.lastIndexOf("\n\nUSER'S INPUT\n")) }
      : calls.length > 0 && content === ''
        ? null
        : content;
  const toolCalls = calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    arguments: valueOf(call.function.arguments),
  }));
  return {
    role,
    content: said,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(id === undefined ? {} : { toolCallId: id }),
  };
}

function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json; // JSON.parse makes nothing else
  } catch {
    return text;
  }
}

/** Names and types of a tool's arguments, and which of them it needs. */
function parameters({ function: { name, parameters: schema } }: z.output<typeof toolSchema>): [string, Json] {
  const types = Object.entries(schema.properties).map(([field, { type }]) => [field, type]);
  return [name, { properties: Object.fromEntries(types), required: schema.required.toSorted() }];
}
