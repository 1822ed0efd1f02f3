import { TemporalFailure } from '@temporalio/common';
import { orAborted } from '../../agent/values/concurrent.ts';
import { boundedText, fieldOf } from '../../agent/values/values.ts';
import { failureType, isOutage } from '../../adapters/models/failure-types.ts';
import { type Model, ModelError, type ModelErrorType } from '../../adapters/models/model.ts';

/** Failed requests in a row that make an outage, and the time between two requests during the outage. */
export interface BreakerSettings {
  failures: number;
  probeMs: number;
}

/** Reports an outage of a model that starts, or that is over. */
export interface BreakerReport {
  adapter: string;
  model: string;
  isOpen: boolean;
  /** Text for the log. */
  text: string;
}

/** State of one model for one worker: open during an outage, when only probes are sent. */
export interface Circuit {
  /** Milliseconds until a request may be sent; 0: now. During an outage, that request is the probe of its interval. */
  waitMs(): number;
  /** A request was answered. Returns the length of the outage that is over by this, in milliseconds. */
  answered(begunAt: number): number | undefined;
  /** A request failed by an outage. Returns true if the circuit opens. */
  failed(): boolean;
}

/** `now` returns milliseconds, which a change of the machine's time does not touch. */
export function createCircuit({ failures: most, probeMs }: BreakerSettings, now: () => number): Circuit {
  let inARow = 0;
  let outage: { sinceMs: number; probeAt: number } | undefined;
  return {
    waitMs() {
      if (outage === undefined) return 0;
      const leftMs = outage.probeAt - now();
      if (leftMs > 0) return leftMs;
      outage.probeAt = now() + probeMs;
      return 0;
    },
    answered(begunAt) {
      // A request from before the outage says nothing of the model now.
      if (outage !== undefined && begunAt < outage.sinceMs) return undefined;
      const lengthMs = outage === undefined ? undefined : now() - outage.sinceMs;
      inARow = 0;
      outage = undefined;
      return lengthMs;
    },
    failed() {
      inARow++;
      if (outage !== undefined || inARow < most) return false;
      outage = { sinceMs: now(), probeAt: now() + probeMs };
      return true;
    },
  };
}

/**
 * Models that are left alone during an outage: a call then fails at once, held back, and comes again after the next probe. Calls come
 * again at different times, so that a model that is back does not get all of them at once.
 */
export function withBreaker(
  models: ReadonlyMap<string, Model>,
  settings: BreakerSettings,
  report: (change: BreakerReport) => void,
): ReadonlyMap<string, Model> {
  return new Map([...models].map(([adapter, model]) => [adapter, guarded(adapter, model, settings, report)]));
}

function guarded(
  adapter: string,
  model: Model,
  settings: BreakerSettings,
  report: (change: BreakerReport) => void,
): Model {
  const { failures, probeMs } = settings;
  const circuits = new Map<string, { circuit: Circuit; last: unknown }>();
  return {
    ...model,
    async call(request, context) {
      const name = request.model;
      const known = circuits.get(name) ?? {
        circuit: createCircuit(settings, () => performance.now()),
        last: undefined,
      };
      circuits.set(name, known);
      const { circuit } = known;
      const waitMs = circuit.waitMs();
      if (waitMs > 0) throw heldBack(name, known.last, waitMs + Math.random() * probeMs);
      const begunAt = performance.now();
      const answered = () => {
        const lengthMs = circuit.answered(begunAt);
        if (lengthMs === undefined) return;
        const text = `The model "${name}" answers again, after an outage of ${Math.round(lengthMs / 1000)} s. This worker asks it as before.`;
        report({ adapter, model: name, isOpen: false, text });
      };
      try {
        const reply = await orAborted(model.call(request, context), context.signal);
        answered();
        return reply;
      } catch (error) {
        // A cancelled call says nothing of the model.
        if (error instanceof TemporalFailure) throw error;
        if (!isOutage(failureType(error))) answered();
        else {
          known.last = error;
          const text = `The model "${name}" has an outage: ${failures} requests in a row failed, the last one by ${wordsOf(error)} This worker asks it once every ${probeMs / 1000} s until it answers.`;
          if (circuit.failed()) report({ adapter, model: name, isOpen: true, text });
        }
        throw error;
      }
    },
  };
}

/** Makes the error of a call that is held back. Its type is that of the model's last failure, so that the agent's next model is asked. */
function heldBack(model: string, last: unknown, retryAfterMs: number): ModelError {
  const type: ModelErrorType = failureType(last);
  const message = `The model "${model}" has an outage and is not asked now: this worker sends it one request from time to time, until it answers. The last failure was ${wordsOf(last)}`;
  return new ModelError(type, message, { retryable: true, retryAfterMs, heldBack: true });
}

const SAID_CHARS = 500;

function wordsOf(error: unknown): string {
  const said = boundedText(fieldOf(error, 'message') ?? error, SAID_CHARS).replace(/[.\s]*$/u, '.');
  return `${failureType(error)}: ${said}`;
}
