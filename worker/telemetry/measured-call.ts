import { type Attributes, context as contexts, createContextKey, trace as traces } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import { errorType } from '../../activities/attempt/errors.ts';
import type { Price } from '../../agent/definition/price.ts';
import type { Model, ModelCallContext, ModelRequest } from '../../adapters/models/model.ts';
import type { Measures } from './measures.ts';
import {
  attemptFacts,
  modelOperation,
  promptAttributes,
  replyAttributes,
  serverAttributes,
} from './span-attributes.ts';

/** Id of the span of the call whose attempt is made. */
export const CALL_SPAN = createContextKey('reloop.call_span');

/**
 * Attributes of the span of a call that only its attempt knows, by the id of that span, until the workflow sends it. A call that another
 * worker's process has made has none.
 */
type CallFacts = LRUCache<string, Attributes>;

const MOST_CHARS = 32_000_000;

export function createCallFacts(): CallFacts {
  return new LRUCache({ maxSize: MOST_CHARS, sizeCalculation: sizeOf });
}

function sizeOf(facts: Attributes): number {
  return Object.values(facts).reduce<number>((sum, text) => sum + String(text).length, 1);
}

export interface MeasuredCall {
  provider: string;
  priceOf(model: string): Price | undefined;
  measures: Measures;
  /** Includes the prompt. */
  contents: boolean;
  facts: CallFacts;
}

/** Measures each request to a model, and keeps the facts of its server, its prompt and its reply for the span of its call. */
export function measuredCall(
  model: Model,
  { provider, priceOf, measures, contents, facts }: MeasuredCall,
): Model['call'] {
  return async (request: ModelRequest, context) => {
    const fromMs = performance.now();
    const about = { operation: modelOperation(request), provider, model: request.model };
    const asked = {
      ...serverAttributes(model.serverUrl?.(request.model)),
      ...(contents && promptAttributes(request)),
    };
    keep(facts, asked);
    const secondsSince = (ms: number) => (performance.now() - ms) / 1000;
    let firstChunk: number | undefined;
    let lastMs = 0;
    const chunk = () => {
      if (firstChunk === undefined) {
        firstChunk = secondsSince(fromMs);
        measures.firstChunk(about, firstChunk);
      } else measures.laterChunk(about, secondsSince(lastMs));
      lastMs = performance.now();
    };
    const heard: ModelCallContext = {
      ...context,
      onText(piece) {
        if (piece !== '') chunk();
        context.onText(piece);
      },
      onReasoning(piece) {
        if (piece !== '') chunk();
        context.onReasoning?.(piece);
      },
    };
    try {
      const reply = await model.call(request, heard);
      measures.request(about, secondsSince(fromMs), { usage: reply.usage, price: priceOf(request.model) });
      keep(facts, { ...asked, ...replyAttributes(reply, firstChunk) });
      return reply;
    } catch (error) {
      measures.request(about, secondsSince(fromMs), { error: errorType(error) });
      throw error;
    }
  };
}

/** Keeps the facts for the span of the call, and writes them on the span of its attempt. */
function keep(facts: CallFacts, attributes: Attributes): void {
  const callSpan = contexts.active().getValue(CALL_SPAN);
  if (typeof callSpan !== 'string') return;
  facts.set(callSpan, attributes);
  traces.getActiveSpan()?.setAttributes(attemptFacts(attributes));
}
