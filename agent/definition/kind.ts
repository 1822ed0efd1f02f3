import type { MediaPart } from '../values/content.ts';
import type { AgentManifest, JsonSchema } from './manifest.ts';
import type { AgentAction, AgentStep, ChatMessage, Json, ToolCall } from '../values/vocabulary.ts';

/** A tool in the request to a model with native tool calls; `parameters` is the schema of its arguments. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: JsonSchema;
}

/** A model's input: one text, or chat messages and the tools that the model may call. */
export type ModelPrompt =
  | { type: 'text'; text: string }
  | {
      type: 'messages';
      messages: ChatMessage[];
      tools?: ToolSpec[] | undefined;
      /** 'none': the tools are named, because earlier messages call them, but may not be called any more. */
      toolChoice?: 'none' | undefined;
    };

/** A reply that called tools, as it came. */
export interface TurnReply {
  text: string;
  toolCalls: ToolCall[];
  /** The model's reasoning and the provider's data, if the provider needs them back. */
  reasoning?: string | undefined;
  providerData?: Json | undefined;
}

/** A step as prompts show it. */
export interface PromptStep extends AgentStep {
  /** The native tool call this step answers. */
  toolCallId?: string | undefined;
  /** The reply that made this step and others of its turn; one object for all of them. */
  reply?: TurnReply | undefined;
}

/** A message to a running agent, in its place among the steps. */
export interface PromptMessage {
  /** 'user': a person, by `say`, or the result of a background call. 'assistant': the answer that the model had given when the person's message came. */
  role: 'user' | 'assistant';
  text: string;
  /** Number of `steps` before it. */
  afterStep: number;
  /** The text is the model's own summary of turns that are no longer shown (`compaction`). */
  summary?: true | undefined;
  /** The text is the result of a background call. */
  result?: true | undefined;
}

/** All that a prompt is made of. */
export interface PromptContext {
  manifest: AgentManifest;
  /**
   * The question. A mark stands for each of its images and files, in its place: kept in a user's message, it becomes the image or the file there.
   */
  input: string;
  /** Absent where the question has none. */
  media?: MediaPart[] | undefined;
  /** Earlier messages of the conversation, as the agent's memory keeps them. */
  chatHistory: ChatMessage[];
  /** Values for the user's own `{names}` in prompt texts. */
  variables: { [name: string]: string };
  /** The steps the model may see, oldest first, already trimmed. */
  steps: PromptStep[];
  /**
   * Messages to the running agent, oldest first; absent if there are none. `promptParts` puts steps and messages in
   * order.
   */
  messages?: PromptMessage[] | undefined;
  /** Replies among the steps may be of another model than the one that is asked. */
  severalModels?: boolean | undefined;
  /** A limit was reached and this is the last call: the model is asked for its answer (earlyStopping 'generate'). */
  closing: boolean;
}

/** A model's reply, cut at the first stop string. */
export interface ParserInput {
  text: string;
  toolCalls: ToolCall[];
}

/** An action as a parser reads it. */
export interface ParsedAction extends AgentAction {
  toolCallId?: string | undefined;
  /** Reason why this native tool call cannot be read; the other calls of its turn may be readable. */
  unreadable?: string | undefined;
}

export type ParsedReply =
  { type: 'finish'; output: Json; log: string } | { type: 'act'; actions: ParsedAction[] };

/**
 * An agent kind: how it asks, how it reads the answer. Pure functions of their arguments; both run in the `callModel`
 * activity (and in `reloop show --prompt`), never in the workflow, so changing one cannot break a live run.
 */
export interface AgentKind<Text extends string = string> {
  name: string;
  /** Sent with every request and enforced on the client too. An agent's own `stop` replaces it. */
  stop: readonly string[];
  /** The prompt texts and their defaults; an agent may override each by name. */
  prompt: { readonly [name in Text]: string };
  /** Output of a run that a limit stopped. */
  stoppedOutput: string;
  /** Takes chat history? If not, a start with one is refused. */
  chatHistory: boolean;
  /**
   * Takes images and files in a question? If not (default), a start with some is refused, and those of an earlier question in its
   * chat history are described in words. A text file of the question is a text to every kind.
   */
  images?: boolean | undefined;
  /** Called when a config is loaded: a sentence that says why an agent cannot be of this kind, or undefined. */
  validate?(manifest: AgentManifest): string | undefined;
  render(context: PromptContext): ModelPrompt;
  /** Throws {@link OutputParserError} for a reply it cannot read. */
  parse(reply: ParserInput, manifest: AgentManifest): ParsedReply;
}

/** A reply that does not follow the kind's format. */
export class OutputParserError extends Error {
  override name = 'OutputParserError';
  /** Observation for the model, if the parser knows what the reply lacks; the log then keeps the raw reply. */
  readonly observation: string | undefined;

  constructor(message: string, observation?: string) {
    super(message);
    this.observation = observation;
  }
}
