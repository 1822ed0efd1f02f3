import type { ContentPart } from './content.ts';

/** Types that every part of Reloop shares. Plain JSON data: all of it crosses process boundaries. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [field: string]: Json };

/** An error as it crosses processes: a type to test by, a message to read. */
export interface ErrorInfo {
  type: string;
  message: string;
}

/**
 * The agent's decision to call a tool: LangChain's AgentAction. `log` is the text that the scratchpad repeats to the
 * model.
 */
export interface AgentAction {
  tool: string;
  toolInput: Json;
  log: string;
}

/** An action and its observation: LangChain's intermediate step. */
export interface AgentStep {
  action: AgentAction;
  observation: Json;
}

export interface ToolCall {
  id: string;
  name: string;
  /** The argument text exactly as the model wrote it. In a request: the text of a JSON object. */
  arguments: string;
  /** The id that the provider gave the call, if a request has another. */
  providerId?: string | undefined;
}

/**
 * One chat message. `content` is null for an assistant message that only calls tools; it is a list of parts only for a
 * user's message with images or files.
 */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | ContentPart[] | null;
  toolCalls?: ToolCall[] | undefined;
  toolCallId?: string | undefined;
  /** The model's reasoning before an assistant message, and the data that its provider needs back. */
  reasoning?: string | undefined;
  providerData?: Json | undefined;
}

/**
 * Tokens as the provider counted them, summed; `modelCalls` counts all replies received, also those without token
 * counts.
 */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  modelCalls: number;
  /** Tokens of the prompt that were in the provider's cache; absent if the provider does not report them. */
  cachedTokens?: number | undefined;
  /** Tokens of the prompt that were written to the provider's cache; absent if the provider does not report them. */
  cacheWriteTokens?: number | undefined;
  /** Tokens of the completion that were the model's reasoning; absent if the provider does not report them. */
  reasoningTokens?: number | undefined;
  /** Model calls whose tokens the server did not report: the three sums above are without them. */
  uncountedCalls?: number | undefined;
  /**
   * Estimate for the uncounted calls, at four characters a token, and in US dollars at the model's price. Not in the
   * sums; only budgets use it.
   */
  estimatedTokens?: number | undefined;
  estimatedCost?: number | undefined;
  /** US dollars; only where the price of every call is known. */
  cost?: number | undefined;
  /** US dollars of the calls with a known price, if other calls have none. `cost` is absent then. */
  partialCost?: number | undefined;
}

export const noUsage: Usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0, modelCalls: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    modelCalls: a.modelCalls + b.modelCalls,
    ...sumOfOptional(a, b, 'cachedTokens'),
    ...sumOfOptional(a, b, 'cacheWriteTokens'),
    ...sumOfOptional(a, b, 'reasoningTokens'),
    ...sumOfOptional(a, b, 'uncountedCalls'),
    ...sumOfOptional(a, b, 'estimatedTokens'),
    ...sumOfOptional(a, b, 'estimatedCost'),
    ...sumOfCosts(a, b),
  };
}

/** The known part of a usage's cost, in US dollars. */
export function knownCost({ cost, partialCost = 0 }: Usage): number {
  return cost ?? partialCost;
}

/** An amount of US dollars without the noise of binary fractions. */
export function dollars(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

type Summed = Exclude<
  { [Field in keyof Usage]-?: undefined extends Usage[Field] ? Field : never }[keyof Usage],
  'cost' | 'partialCost'
>;

/** undefined for 0, so that records from before the field stay unchanged. */
function sumOfOptional(a: Usage, b: Usage, field: Summed): Pick<Usage, Summed> {
  const sum = dollars((a[field] ?? 0) + (b[field] ?? 0));
  return sum === 0 ? {} : { [field]: sum };
}

/** A sum without the cost of a call is marked as partial: a wrong total is worse than none. */
function sumOfCosts(a: Usage, b: Usage): Pick<Usage, 'cost' | 'partialCost'> {
  if ([a, b].every(({ cost, partialCost }) => cost === undefined && partialCost === undefined)) return {};
  const sum = dollars(knownCost(a) + knownCost(b));
  const isWhole = [a, b].every(({ cost, modelCalls }) => cost !== undefined || modelCalls === 0);
  return isWhole ? { cost: sum } : { partialCost: sum };
}

export type StopReason =
  | 'final_answer'
  | 'return_direct'
  | 'max_iterations'
  | 'max_execution_time'
  | 'budget'
  | 'cancelled'
  | 'error';

/**
 * The reason why an answer is not whole: the model came to its token limit (`maxTokens`, or its own), or the provider's content filter
 * ended the reply.
 */
export type Truncation = 'length' | 'content_filter';

export type RunStatus = 'running' | 'waiting' | 'paused' | 'completed' | 'stopped' | 'failed' | 'cancelled';

/** The tool name of a step that stands for a reply that could not be parsed. */
export const EXCEPTION_TOOL = '_Exception';

/** An observation as the model reads it: text as it is, anything else as JSON text. */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
