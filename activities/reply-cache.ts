import { canonicalJson, fieldsOf } from '../agent/values/json-object.ts';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { jsonBytes } from '../agent/values/digest.ts';
import type { Json, ToolCall } from '../agent/values/vocabulary.ts';
import type {
  Model,
  ModelCallContext,
  ModelReply,
  ModelRequest,
  ReplyStore,
} from '../adapters/models/model.ts';

type JsonObject = { [field: string]: Json };

/** A reply, and whether the model was asked for it. A kept reply costs no tokens: its usage is zero. */
export interface CachedReply {
  reply: ModelReply;
  modelCalls: 0 | 1;
}

/** Asks a model, or returns its earlier reply to the same request. `adapter` is the model's name in the config. */
export type ReplyCache = (
  adapter: string,
  model: Model,
  request: ModelRequest,
  context: ModelCallContext,
) => Promise<CachedReply>;

const MEMORY_BYTES = 64 * 1024 * 1024;
/** Longest wait for a store; then the model is asked. */
const STORE_MS = 2000;

/** A cache of identical requests at temperature 0; any other request goes to the model. Throws what the model throws. */
export function createReplyCache(store: ReplyStore = memoryStore()): ReplyCache {
  return async (adapter, model, request, context) => {
    if (request.params.temperature !== 0) return asked(await model.call(request, context));
    const key = keyOf(adapter, request);
    const kept = readReply(await attempt(() => store.get(key)));
    if (kept !== undefined) return { reply: kept, modelCalls: 0 };
    const reply = await model.call(request, context);
    if (isWhole(reply)) await attempt(() => store.set(key, written(reply)));
    return asked(reply);
  };
}

/** Least recently used replies go first. */
function memoryStore(): ReplyStore {
  return new LRUCache<string, JsonObject>({
    maxSize: MEMORY_BYTES,
    sizeCalculation: (value, key) => key.length + jsonBytes(value),
  });
}

function asked(reply: ModelReply): CachedReply {
  return { reply, modelCalls: 1 };
}

/** The time-out and streaming do not change the reply. */
function keyOf(adapter: string, { params, ...rest }: ModelRequest): string {
  const { requestTimeoutMs: _wait, stream: _pieces, ...deciding } = params;
  return createHash('sha256')
    .update(canonicalJson([adapter, { ...rest, params: deciding }]))
    .digest('hex');
}

/** A reply that was cut, or that a refused parameter may have changed, could be better next time. */
function isWhole({ finishReason, warnings = [] }: ModelReply): boolean {
  return finishReason !== 'length' && warnings.length === 0;
}

function written({ text, toolCalls, finishReason, reasoning, providerData }: ModelReply): JsonObject {
  const reply: JsonObject = {
    text,
    toolCalls: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    finishReason,
  };
  if (reasoning !== undefined) reply['reasoning'] = reasoning;
  if (providerData !== undefined) reply['providerData'] = providerData;
  return reply;
}

/** undefined for a value that is not a reply of ours: a store may be shared. */
function readReply(value: unknown): ModelReply | undefined {
  const { text, toolCalls, finishReason, reasoning, providerData } = fieldsOf(value);
  if (typeof text !== 'string' || typeof finishReason !== 'string') return undefined;
  if (!Array.isArray(toolCalls) || !toolCalls.every(isToolCall)) return undefined;
  const thought = typeof reasoning === 'string' ? reasoning : undefined;
  return {
    text,
    toolCalls,
    finishReason,
    reasoning: thought,
    providerData: providerData as Json | undefined,
  }; // it was written as JSON, and is checked as a reply is
}

function isToolCall(value: unknown): value is ToolCall {
  const { id, name, arguments: args } = fieldsOf(value);
  return typeof id === 'string' && typeof name === 'string' && typeof args === 'string';
}

/** undefined in place of an error or of a wait that is too long. */
async function attempt(use: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, STORE_MS, undefined);
  });
  try {
    return await Promise.race([Promise.resolve().then(use), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
