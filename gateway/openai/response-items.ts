import type {
  ResponseContentPartAddedEvent,
  ResponseContentPartDoneEvent,
  ResponseOutputItem,
  ResponseOutputItemAddedEvent,
  ResponseOutputItemDoneEvent,
  ResponseOutputMessage,
  ResponseOutputText,
  ResponseTextDeltaEvent,
  ResponseTextDoneEvent,
} from 'openai/resources/responses/responses';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { type AgentAction, EXCEPTION_TOOL, type Json, asText } from '../../agent/values/vocabulary.ts';
import type { RunPart } from '../replies/run-parts.ts';
import { approvalIdOf } from './approval-id.ts';

/** An event of a stream of the Responses API, before it has its number. */
export type ItemEvent = Unnumbered<
  | ResponseOutputItemAddedEvent
  | ResponseContentPartAddedEvent
  | ResponseTextDeltaEvent
  | ResponseTextDoneEvent
  | ResponseContentPartDoneEvent
  | ResponseOutputItemDoneEvent
>;
/** The type distributes over a union. */
export type Unnumbered<E> = E extends unknown ? Omit<E, 'sequence_number'> : never;

export interface ResponseItems {
  /** The events that a part of the reply makes. */
  next(part: RunPart): ItemEvent[];
  /** All items that are not void. */
  output(): ResponseOutputItem[];
}

interface PlacedItem {
  item: ResponseOutputItem;
  index: number;
  isDone: boolean;
}

const SERVER = 'agent';
/** Key of the answer where no model call wrote the answer. */
const ANSWER = 'answer';

/**
 * Makes output items of the parts of a run's reply: a message for the text of each model call, an `mcp_call` for each tool call, which the
 * agent makes itself, and an `mcp_approval_request` for each call that waits for approval. The id of an item is always the same, so an
 * item that is added again replaces the item before.
 */
export function createResponseItems(run: string): ResponseItems {
  /** By call. */
  const items = new Map<string, PlacedItem>();
  let count = 0;
  return { next, output: () => [...items.values()].map(({ item }) => item) };

  function next(part: RunPart): ItemEvent[] {
    switch (part.type) {
      case 'text':
        return write(part.call, part.delta);
      case 'turn':
        return finishMessage(part.call);
      case 'output':
        return [...write(ANSWER, part.text), ...finishMessage(ANSWER)];
      case 'void':
        return [...drop(part.call), ...drop(waitKey(part.call))];
      case 'tool_call':
        return part.action.tool === EXCEPTION_TOOL
          ? []
          : [add(part.call, toolItem(run, part.call, part.action))];
      case 'tool_result':
        return finishTool(part.call, part.observation);
      case 'waiting':
        return part.wait.reason === 'approval' ? ask(part.wait) : [];
      default:
        return [];
    }
  }

  function add(key: string, item: ResponseOutputItem): ItemEvent {
    items.delete(key); // the new item is the last one
    const placed = { item, index: count++, isDone: false };
    items.set(key, placed);
    return { type: 'response.output_item.added', output_index: placed.index, item };
  }

  function done(placed: PlacedItem, item: ResponseOutputItem): ItemEvent {
    Object.assign(placed, { item, isDone: true });
    return { type: 'response.output_item.done', output_index: placed.index, item };
  }

  function write(key: string, delta: string): ItemEvent[] {
    const events: ItemEvent[] = [];
    if (items.get(key) === undefined) {
      events.push(add(key, message(run, key, 'in_progress')));
      events.push({ type: 'response.content_part.added', ...placeOf(key), part: textPart('') });
    }
    const placed = items.get(key);
    if (placed?.item.type === 'message') {
      placed.item = message(run, key, 'in_progress', textOf(placed.item) + delta);
      events.push({ type: 'response.output_text.delta', ...placeOf(key), delta, logprobs: [] });
    }
    return events;
  }

  function finishMessage(key: string): ItemEvent[] {
    const placed = items.get(key);
    if (placed?.item.type !== 'message') return [];
    const text = textOf(placed.item);
    return [
      { type: 'response.output_text.done', ...placeOf(key), text, logprobs: [] },
      { type: 'response.content_part.done', ...placeOf(key), part: textPart(text) },
      done(placed, message(run, key, 'completed', text)),
    ];
  }

  function finishTool(call: string, observation: Json): ItemEvent[] {
    const placed = items.get(call);
    if (placed?.item.type !== 'mcp_call') return [];
    return [done(placed, { ...placed.item, status: 'completed', output: asText(observation) })];
  }

  function ask(wait: WaitingCall): ItemEvent[] {
    const key = waitKey(wait.call);
    const added = add(key, approvalItem(run, wait));
    const placed = items.get(key);
    return placed === undefined ? [added] : [added, done(placed, placed.item)];
  }

  function drop(key: string): ItemEvent[] {
    const placed = items.get(key);
    items.delete(key);
    if (placed === undefined || placed.isDone) return [];
    return [done(placed, { ...placed.item, status: 'incomplete' } as ResponseOutputItem)]; // messages and calls have the status
  }

  function placeOf(key: string) {
    return { item_id: messageId(run, key), output_index: items.get(key)?.index ?? 0, content_index: 0 };
  }
}

function waitKey(call: string): string {
  return `wait ${call}`;
}

function messageId(run: string, call: string): string {
  return `msg_${run}:${call}`;
}

function message(
  run: string,
  call: string,
  status: ResponseOutputMessage['status'],
  text?: string,
): ResponseOutputMessage {
  const content = text === undefined ? [] : [textPart(text)];
  return { type: 'message', id: messageId(run, call), status, role: 'assistant', content };
}

function textPart(text: string): ResponseOutputText {
  return { type: 'output_text', text, annotations: [] };
}

function textOf({ content }: ResponseOutputMessage): string {
  return content.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
}

function toolItem(run: string, call: string, { tool, toolInput }: AgentAction): ResponseOutputItem {
  const args = JSON.stringify(toolInput);
  return {
    type: 'mcp_call',
    id: `mcp_${run}:${call}`,
    server_label: SERVER,
    name: tool,
    arguments: args,
    status: 'in_progress',
  };
}

function approvalItem(run: string, { call, n, tool, toolInput }: WaitingCall): ResponseOutputItem {
  const args = JSON.stringify(toolInput);
  return {
    type: 'mcp_approval_request',
    id: approvalIdOf({ run, call, n }),
    server_label: SERVER,
    name: tool,
    arguments: args,
  };
}
