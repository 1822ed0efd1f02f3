import type { AgentManifest } from './manifest.ts';
import type { AgentAction, AgentStep, ChatMessage, Json, ToolCall } from './vocabulary.ts';

/** What a model is asked with: one text, or chat messages. */
export type ModelPrompt = { type: 'text'; text: string } | { type: 'messages'; messages: ChatMessage[] };

/** All that a prompt is made of. */
export interface PromptContext {
  manifest: AgentManifest;
  input: string;
  chatHistory: ChatMessage[];
  /** The steps the model may see, oldest first, already trimmed. */
  steps: AgentStep[];
}

/** What a model said, cut at the first stop string. */
export interface ParserInput {
  text: string;
  toolCalls: ToolCall[];
}

export type Decision =
  { type: 'finish'; output: Json; log: string } | { type: 'act'; actions: AgentAction[] };

/**
 * An agent kind: how it asks, how it reads the answer. Pure functions of their arguments; both run in the `callModel`
 * activity (and in `reloop show --prompt`), never in the workflow, so changing one cannot break a live run.
 */
export interface AgentKind {
  name: string;
  /** Sent with every request and enforced on the client too. An agent's own `stop` replaces it. */
  stop: readonly string[];
  /** The prompt texts and their defaults; an agent may override each by name. */
  prompt: { readonly [name: string]: string };
  /** Output of a run that a limit stopped. */
  stoppedOutput: string;
  /** Takes chat history? If not, a start with one is refused. */
  chatHistory: boolean;
  render(context: PromptContext): ModelPrompt;
  /** Throws {@link OutputParserError} for a reply it cannot read. */
  parse(reply: ParserInput, manifest: AgentManifest): Decision;
}

/** A reply that does not follow the kind's format. */
export class OutputParserError extends Error {
  override name = 'OutputParserError';
  /** What the model is told, where the parser knows what is missing; then the log keeps the raw reply. */
  readonly observation: string | undefined;

  constructor(message: string, observation?: string) {
    super(message);
    this.observation = observation;
  }
}
