import type { AgentKind, PromptContext } from '../../agent/definition/kind.ts';
import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import { toolCalling } from '../../agent/kinds/tool-calling.ts';
import { zeroShot } from '../../agent/kinds/zero-shot.ts';
import type { AgentStep, ChatMessage, Json } from '../../agent/values/vocabulary.ts';

/** A zero-shot agent as it is recorded at the start of a run. */
export function sampleManifest(fields: Partial<AgentManifest> = {}): AgentManifest {
  return {
    loopVersion: 1,
    name: 'assistant',
    kind: zeroShot.name,
    prompt: { ...zeroShot.prompt },
    adapter: 'openai',
    model: 'test-model',
    params: { api: 'chat', stream: false, requestTimeoutMs: 10_000 },
    stop: [...zeroShot.stop],
    stoppedOutput: zeroShot.stoppedOutput,
    tools: [sampleTool('Search', 'Looks things up.'), sampleTool('Calculator', 'Computes.')],
    maxIterations: 15,
    maxExecutionTimeMs: null,
    handleParsingErrors: true,
    trimIntermediateSteps: -1,
    modelRetry: { maxAttempts: 5, initialMs: 500, backoff: 2, maximumMs: 30_000 },
    ...fields,
  };
}

export function sampleTool(
  name: string,
  description: string,
  fields: Partial<ToolManifest> = {},
): ToolManifest {
  return {
    name,
    description,
    inputSchema: null,
    timeoutMs: 300_000,
    retry: { maxAttempts: 3, initialMs: 1_000, backoff: 2, maximumMs: 30_000 },
    effects: 'idempotent',
    onFailure: 'ask',
    returnDirect: false,
    maxOutputChars: 100_000,
    ...fields,
  };
}

/** A step of one call. */
export function sampleStep(log: string, observation: Json): AgentStep {
  return { action: { tool: 'A', toolInput: '', log }, observation };
}

/** An agent of a kind with its texts and two tools: one that takes a text, one that takes two numbers. */
export function manifestOfKind({ name, prompt }: AgentKind, fields: Partial<AgentManifest> = {}) {
  const number = { type: 'number' };
  const inputSchema = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
  const tools = [sampleTool('Search', 'Looks {things} up.'), sampleTool('add', 'Adds.', { inputSchema })];
  return sampleManifest({ kind: name, prompt: { ...prompt }, tools, ...fields });
}

/** An agent with native tool calls. */
export function nativeManifest(fields: Partial<AgentManifest> = {}): AgentManifest {
  return sampleManifest({
    kind: toolCalling.name,
    prompt: { ...toolCalling.prompt },
    stop: [],
    tools: [sampleTool('search', 'Looks up.'), sampleTool('add', 'Adds.')],
    ...fields,
  });
}

/** Renders the kind's prompt for a question. `context`: default, no steps. */
export function rendered(kind: AgentKind, manifest: AgentManifest, context: Partial<PromptContext>) {
  const nothing = { chatHistory: [], steps: [], variables: {}, closing: false };
  return kind.render({ manifest, input: 'What is fib(10)?', ...nothing, ...context });
}

/** The messages of such a prompt. */
export function renderedMessages(kind: AgentKind, context: Partial<PromptContext> = {}): ChatMessage[] {
  const prompt = rendered(kind, manifestOfKind(kind), context);
  return prompt.type === 'messages' ? prompt.messages : [];
}
