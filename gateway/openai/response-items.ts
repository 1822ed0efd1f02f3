import type {
  ResponseContentPartAddedEvent,
  ResponseContentPartDoneEvent,
  ResponseMcpCallArgumentsDeltaEvent,
  ResponseMcpCallArgumentsDoneEvent,
  ResponseMcpCallCompletedEvent,
  ResponseMcpCallInProgressEvent,
  ResponseFunctionCallArgumentsDeltaEvent,
  ResponseFunctionCallArgumentsDoneEvent,
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputItemAddedEvent,
  ResponseOutputItemDoneEvent,
  ResponseOutputMessage,
  ResponseOutputText,
  ResponseTextDeltaEvent,
  ResponseTextDoneEvent,
} from 'openai/resources/responses/responses';
import { type AgentAction, asText, EXCEPTION_TOOL, type Json, type WaitingCall } from '../../client/index.ts';
import { BETWEEN_TEXTS, type RunPart } from '../replies/run-parts.ts';
import { approvalId } from '../start/approvals.ts';
import { approvalIdOf } from './approval-id.ts';
import { functionItemId, messageId, toolItemId } from './item-id.ts';

/** An event of a stream of the Responses API, before it has its number. */
export type ItemEvent = Unnumbered<
  | ResponseOutputItemAddedEvent
  | ResponseContentPartAddedEvent
  | ResponseTextDeltaEvent
  | ResponseTextDoneEvent
  | ResponseContentPartDoneEvent
  | ResponseMcpCallInProgressEvent
  | ResponseFunctionCallArgumentsDeltaEvent
  | ResponseFunctionCallArgumentsDoneEvent
  | ResponseMcpCallArgumentsDeltaEvent
  | ResponseMcpCallArgumentsDoneEvent
  | ResponseMcpCallCompletedEvent
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

/** `commentary`: other texts follow. The clients take the final answer for the parsed one. */
type Phase = NonNullable<ResponseOutputMessage['phase']>;

type ToolCallPart = Extract<RunPart, { type: 'tool_call' }>;

interface PlacedItem {
  item: ResponseOutputItem;
  index: number;
  isDone: boolean;
}

/** Label of the agent's tools, as those of an MCP server. */
export const SERVER_LABEL = 'agent';
/** Key of the answer where no model call wrote the answer. */
const ANSWER = 'answer';

/**
 * Makes output items of the parts of a run's reply: a message for the text of each model call, an `mcp_call` for each tool call, which the
 * agent makes itself, a `function_call` for each call of a tool of the client, and an `mcp_approval_request` for each call that waits for approval. The id of an item is always the same, so an
 * item that is added again replaces the item before.
 */
export function createResponseItems(run: string): ResponseItems {
  /** Items by call. */
  const items = new Map<string, PlacedItem>();
  let count = 0;
  return { next, output };

  function output(): ResponseOutputItem[] {
    const all = [...items.values()].map(({ item }) => item);
    const last = all.findLast(({ type }) => type === 'message');
    return all.map((item) => (isAnswer(item) && item !== last ? beforeOthers(item) : item));
  }

  function next(part: RunPart): ItemEvent[] {
    switch (part.type) {
      case 'text':
        return write(part.call, part.delta);
      case 'turn':
        return finishMessage(part.call, part.isAnswer ? 'final_answer' : 'commentary');
      case 'output':
        return [...write(ANSWER, part.text), ...finishMessage(ANSWER, 'final_answer')];
      case 'void':
        return [...drop(part.call), ...drop(waitKey(part.call))];
      case 'tool_call':
        if (part.client !== undefined) return callClient(part, part.client);
        return part.action.tool === EXCEPTION_TOOL ? [] : beginTool(part.call, part.action);
      case 'tool_result':
        return finishTool(part.call, part.observation);
      case 'waiting':
        return part.wait.reason === 'approval' ? ask(part.wait) : [];
      case 'wait_ended':
        answered(part.call);
        return [];
      case 'ended':
        breakOff();
        return [];
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

  /** The clients join all texts to `output_text`, so a text before others ends with a blank line. */
  function finishMessage(key: string, phase: Phase): ItemEvent[] {
    const placed = items.get(key);
    if (placed?.item.type !== 'message') return [];
    const end = phase === 'commentary' ? write(key, BETWEEN_TEXTS) : [];
    const text = textOf(placed.item);
    return [
      ...end,
      { type: 'response.output_text.done', ...placeOf(key), text, logprobs: [] },
      { type: 'response.content_part.done', ...placeOf(key), part: textPart(text) },
      done(placed, { ...message(run, key, 'completed', text), phase }),
    ];
  }

  /** The events of OpenAI's server, which clients hold to: the arguments come after the item. */
  function beginTool(call: string, action: AgentAction): ItemEvent[] {
    const item = toolItem(run, call, action);
    const added = add(call, { ...item, arguments: '' });
    const placed = items.get(call);
    if (placed === undefined) return [added];
    placed.item = item;
    const place = { item_id: item.id, output_index: placed.index };
    return [
      added,
      { type: 'response.mcp_call.in_progress', ...place },
      { type: 'response.mcp_call_arguments.delta', ...place, delta: item.arguments },
      { type: 'response.mcp_call_arguments.done', ...place, arguments: item.arguments },
    ];
  }

  /** A call that the client carries out is complete with its arguments. */
  function callClient({ call, action }: Pick<ToolCallPart, 'call' | 'action'>, n: number): ItemEvent[] {
    const item = functionItem(run, { call, n }, action);
    const { arguments: args, name } = item;
    const added = add(call, { ...item, arguments: '', status: 'in_progress' });
    const placed = items.get(call);
    if (placed === undefined) return [added];
    const place = { item_id: item.id ?? '', output_index: placed.index };
    const named = { ...place, name }; // the types of openai 7 do not have the name any more
    return [
      added,
      { type: 'response.function_call_arguments.delta', ...place, delta: args },
      { type: 'response.function_call_arguments.done', ...named, arguments: args },
      done(placed, item),
    ];
  }

  function finishTool(call: string, observation: Json): ItemEvent[] {
    const placed = items.get(call);
    if (placed?.item.type !== 'mcp_call') return [];
    const { item, index } = placed;
    return [
      { type: 'response.mcp_call.completed', item_id: item.id, output_index: index },
      done(placed, { ...item, status: 'completed', output: asText(observation) }),
    ];
  }

  function ask(wait: WaitingCall): ItemEvent[] {
    const key = waitKey(wait.call);
    const added = add(key, approvalItem(run, wait));
    const placed = items.get(key);
    return placed === undefined ? [added] : [added, done(placed, placed.item)];
  }

  /** A run that is over writes no more, and ends no more calls. */
  function breakOff(): void {
    for (const { item, isDone } of items.values()) {
      if (!isDone && (item.type === 'message' || item.type === 'mcp_call')) item.status = 'incomplete';
    }
  }

  /** A client that reads the items again would ask for the approval again. */
  function answered(call: string): void {
    const [request, placed] = [items.get(waitKey(call)), items.get(call)];
    if (request === undefined) return;
    items.delete(waitKey(call));
    if (placed?.item.type === 'mcp_call') placed.item.approval_request_id = request.item.id ?? null;
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

function message(
  run: string,
  call: string,
  status: ResponseOutputMessage['status'],
  text?: string,
): ResponseOutputMessage {
  const content = text === undefined ? [] : [textPart(text)];
  return { type: 'message', id: messageId(run, call), status, role: 'assistant', content };
}

function isAnswer(item: ResponseOutputItem): item is ResponseOutputMessage {
  return item.type === 'message' && item.phase === 'final_answer';
}

/** An answer after which a message of a person had the model write again. */
function beforeOthers(item: ResponseOutputMessage): ResponseOutputMessage {
  const content = [textPart(textOf(item) + BETWEEN_TEXTS)];
  return { ...item, content, phase: 'commentary' };
}

function textPart(text: string): ResponseOutputText {
  return { type: 'output_text', text, annotations: [] };
}

function textOf({ content }: ResponseOutputMessage): string {
  return content.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
}

function toolItem(run: string, call: string, { tool, toolInput }: AgentAction): ResponseOutputItem.McpCall {
  const args = JSON.stringify(toolInput);
  return {
    type: 'mcp_call',
    id: toolItemId(run, call),
    server_label: SERVER_LABEL,
    name: tool,
    arguments: args,
    status: 'in_progress',
  };
}

function functionItem(
  run: string,
  { call, n }: { call: string; n: number },
  { tool: name, toolInput }: AgentAction,
): ResponseFunctionToolCall {
  const id = approvalId({ run, call, n });
  const args = JSON.stringify(toolInput);
  const common = { type: 'function_call', id: functionItemId(id), call_id: id } as const;
  return { ...common, name, arguments: args, status: 'completed' };
}

function approvalItem(run: string, { call, n, tool, toolInput }: WaitingCall): ResponseOutputItem {
  const args = JSON.stringify(toolInput);
  return {
    type: 'mcp_approval_request',
    id: approvalIdOf({ run, call, n }),
    server_label: SERVER_LABEL,
    name: tool,
    arguments: args,
  };
}
