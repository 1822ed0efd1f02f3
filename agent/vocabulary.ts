import type { ContentPart } from './content.ts';

/** The words every part of Reloop shares. Plain JSON data: all of it crosses process boundaries. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** An error as it crosses processes: a type to test by, a message to read. */
export interface ErrorInfo {
  type: string;
  message: string;
}

/** What the agent decided to do: LangChain's AgentAction. `log` is the text the scratchpad repeats to the model. */
export interface AgentAction {
  tool: string;
  toolInput: Json;
  log: string;
}

/** An action and what came of it: LangChain's intermediate step. */
export interface AgentStep {
  action: AgentAction;
  observation: Json;
}

export interface ToolCall {
  id: string;
  name: string;
  /** The argument text exactly as the model wrote it. */
  arguments: string;
}

/**
 * One chat message. `content` is null for an assistant message that only calls tools; it is a list of parts only for a
 * user's message with images.
 */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | ContentPart[] | null;
  toolCalls?: ToolCall[] | undefined;
  toolCallId?: string | undefined;
  /** Of an assistant message: what the model thought before it, and what its provider wants back with it. */
  reasoning?: string | undefined;
  providerData?: Json | undefined;
}

/** Tokens as the provider counted them, summed; `modelCalls` counts replies received, those that it did not count too. */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  modelCalls: number;
  /** Of the prompt's, those that the provider had in its cache; only where it says so. */
  cachedTokens?: number | undefined;
  /** Of the model calls, those whose tokens the server did not say: the three sums above are without them. */
  uncountedCalls?: number | undefined;
  /**
   * What the uncounted calls took at four characters a token, and in US dollars at the model's price: a guess that is in
   * none of the sums and that only budgets reckon with.
   */
  estimatedTokens?: number | undefined;
  estimatedCost?: number | undefined;
  /** US dollars; only where the price of every call is known. */
  cost?: number | undefined;
  /** US dollars of the calls whose price is known, where that of others is not: there is no `cost` then. */
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
    ...sumOfOptional(a, b, 'uncountedCalls'),
    ...sumOfOptional(a, b, 'estimatedTokens'),
    ...sumOfOptional(a, b, 'estimatedCost'),
    ...sumOfCosts(a, b),
  };
}

/** What of a usage is known to have cost money, in US dollars. */
export function knownCost({ cost, partialCost = 0 }: Usage): number {
  return cost ?? partialCost;
}

/** An amount of US dollars without the noise of binary fractions. */
export function dollars(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

type Summed = 'cachedTokens' | 'uncountedCalls' | 'estimatedTokens' | 'estimatedCost';

/** Nothing for 0: what was recorded before the field was there stays as it was. */
function sumOfOptional(a: Usage, b: Usage, field: Summed): Pick<Usage, Summed> {
  const sum = dollars((a[field] ?? 0) + (b[field] ?? 0));
  return sum === 0 ? {} : { [field]: sum };
}

/** A sum that leaves a call out is told from one that does not: a wrong total is worse than none. */
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

export type RunStatus = 'running' | 'waiting' | 'paused' | 'completed' | 'stopped' | 'failed' | 'cancelled';

/**
 * Why a call waits for a person: it failed; a person has to allow it; nobody knows whether it took effect; its result comes
 * from outside; it was done before in steps that were given up; the run has come to a limit.
 */
export const waitingReasons = ['failed', 'approval', 'doubt', 'deferred', 'repeated', 'limit'] as const;

export type WaitingReason = (typeof waitingReasons)[number];

/** The tool name of a step that stands for a reply that could not be parsed. */
export const EXCEPTION_TOOL = '_Exception';

/** An observation as the model reads it: text as it is, anything else as JSON text. */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
