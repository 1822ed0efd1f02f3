import * as fc from 'fast-check';
import { replyEntry } from '../../agent/calls/reply-entry.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { builtInKind, builtInKinds } from '../../agent/kinds/kinds.ts';
import { decide } from '../../agent/reply/decide.ts';
import type { Entry, StepEntry } from '../../agent/transcript/entries.ts';
import { type ChatMessage, type Json, type ToolCall, noUsage } from '../../agent/values/vocabulary.ts';
import { manifestOfKind, sampleTool } from './manifest.ts';

/** Conversations as runs have them, of any agents, replies and people, as entries of a transcript. */
export function conversations(): fc.Arbitrary<Entry[]> {
  return fc
    .record({
      manifest: manifests,
      question: texts,
      chatHistory: histories,
      events: fc.array(events, { maxLength: 12 }),
    })
    .map(({ manifest, question, chatHistory, events: happened }) => {
      const entries: Entry[] = [
        { type: 'agent', manifest },
        {
          type: 'question',
          input: question,
          chatHistory: builtInKind(manifest.kind).chatHistory ? chatHistory : [],
        },
      ];
      let agent = manifest;
      happened.forEach((event, index) => {
        if (event.type === 'agent') agent = event.manifest;
        entries.push(...(event.type === 'reply' ? turnOf(event, agent, index + 1) : [event]));
      });
      return entries;
    });
}

interface Reply {
  type: 'reply';
  text: string;
  toolCalls: ToolCall[];
  finishReason: string;
  observations: Json[];
  /** Input that a person gives each call. */
  input: Json | undefined;
}

const texts = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\n\n',
    'Paris',
    'Action: Search\nAction Input: x',
    '{"action": "add", "action_input": {"a": 1}}',
  ),
  fc.string({ maxLength: 20 }),
);

const names = fc.oneof(
  fc.constantFrom(
    'Search',
    'add',
    'functions.add',
    ' add',
    'add\n',
    'orders/find',
    'multi_tool_use.parallel',
    '',
    '_Exception',
  ),
  fc.string({ maxLength: 80 }),
);

const argumentTexts = fc.oneof(
  fc.constantFrom(
    '',
    '{}',
    '{"a":1,"b":2}',
    'null',
    '[]',
    '["a"]',
    '{"a": "cut',
    '{"text": "two\nlines"}',
    '"{}"',
    '{"a":1}{"a":1}',
  ),
  fc.json({ maxDepth: 2 }),
  fc.string({ maxLength: 20 }),
);

/** The ids of one reply are different, as the adapters make them. */
const calls = fc.uniqueArray(
  fc.record<ToolCall>({
    id: fc.oneof(
      fc.constantFrom(
        'call_1',
        'functions.look:0',
        'aB3dE6gH9',
        `tool_${'x'.repeat(60)}`,
        'call_PTLP8xhu3uwZk4l3nlnrrJha',
      ),
      fc.string({ minLength: 1, maxLength: 12 }),
    ),
    name: names,
    arguments: argumentTexts,
  }),
  { maxLength: 3, selector: ({ id }) => id },
);

const observations = fc.oneof(texts, fc.constantFrom<Json>(null, false, 0, [], {}, { a: [1, 'x'] }));

const replies = fc.record<Reply>({
  type: fc.constant('reply'),
  text: texts,
  toolCalls: calls,
  finishReason: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter'),
  observations: fc.array(observations, { minLength: 3, maxLength: 3 }),
  input: fc.option(fc.constantFrom<Json>({ a: 400 }, 'other'), { nil: undefined }),
});

const manifests: fc.Arbitrary<AgentManifest> = fc
  .record({
    kind: fc.constantFrom(...builtInKinds, builtInKind('tool-calling'), builtInKind('tool-calling')),
    model: fc.constantFrom('one', 'two'),
    isToolless: fc.boolean(),
    trim: fc.constantFrom(-1, -1, 1, 2),
    system: fc.constantFrom('Help.', '', undefined),
    extra: fc.constantFrom(undefined, { parallel_tool_calls: false, tool_choice: 'auto' }),
  })
  .map(({ kind, model, isToolless, trim, system, extra }) => {
    const ping = sampleTool('ping', 'Pings.', { inputSchema: { type: 'object' } });
    const either = sampleTool('either', 'One of two.', {
      inputSchema: { type: 'object', anyOf: [{ properties: { a: { const: 1 } } }, { required: ['b'] }] },
    });
    const made = manifestOfKind(kind, { model, trimIntermediateSteps: trim, stop: [...kind.stop] });
    return {
      ...made,
      prompt: system === undefined || !('system' in made.prompt) ? made.prompt : { ...made.prompt, system },
      params: { ...made.params, ...(extra && { extra }) },
      tools: isToolless && kind.name === 'tool-calling' ? [] : [...made.tools, ping, either],
    };
  });

const histories = fc.array(
  fc.record<ChatMessage>({ role: fc.constantFrom('system', 'user', 'assistant'), content: texts }),
  { maxLength: 4 },
);

const events = fc.oneof(
  { weight: 6, arbitrary: replies },
  {
    weight: 2,
    arbitrary: fc.record<Entry & { type: 'message' }>({
      type: fc.constant('message'),
      text: texts,
      role: fc.constantFrom(undefined, undefined, 'assistant'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record<Entry & { type: 'summary' }>({
      type: fc.constant('summary'),
      text: fc.constant('Notes.'),
      keep: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: manifests.map((manifest) => ({ type: 'agent', manifest }) as const) },
);

/** The entries of a turn: the reply is read as a run reads it. An answer ends no conversation here. */
function turnOf(reply: Reply, manifest: AgentManifest, step: number): Entry[] {
  const kind = builtInKind(manifest.kind);
  const isNative = kind.name === 'tool-calling';
  const given = { ...reply, toolCalls: isNative ? reply.toolCalls : [] };
  const { text, decision } = decide({ parse: kind.parse }, manifest, given);
  if (decision.type !== 'act') return [{ type: 'message', role: 'assistant', text }];
  const call = String(step);
  const steps = decision.actions.map(
    ({ tool, toolInput, log = text, toolCallId, observation }, index): StepEntry => {
      const isPersons = observation === undefined && reply.input !== undefined;
      return {
        type: 'step',
        call: `${call}.${index + 1}`,
        action: { tool, log, toolInput: isPersons ? (reply.input ?? null) : toolInput },
        toolCallId,
        observation: observation ?? reply.observations[index] ?? null,
        ...(isPersons && { personsInput: true }),
      };
    },
  );
  const toolCalls = given.toolCalls.length === 0 ? undefined : given.toolCalls;
  const facts = { digest: '', request: '', finishReason: 'stop', attempt: 1, usage: noUsage };
  const turn = { ...facts, text, toolCalls };
  const entry = replyEntry(turn, call, manifest);
  return entry === undefined ? steps : [entry, ...steps];
}
