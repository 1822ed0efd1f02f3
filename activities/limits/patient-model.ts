import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL_LIMIT } from '../../agent/model-limits/lease-request.ts';
import { fieldOf, finiteMs } from '../../agent/values/values.ts';
import type { Model } from '../../adapters/models/model.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { mayLeave } from './held-back.ts';

/**
 * The same model, for a call whose attempt cannot end before the request: a call that is held back is made again after its wait. Between
 * the two it has no place among the requests to the model.
 */
export function patientModel(
  model: Model,
  manifest: { holdsBack?: true | undefined },
  attempt: Attempt,
): Model {
  if (mayLeave(manifest, attempt)) return model;
  const { heartbeat } = attempt;
  return {
    async call(request, context) {
      const { progress } = heartbeat.record;
      try {
        for (;;) {
          try {
            return await model.call(request, context);
          } catch (error) {
            if (fieldOf(error, 'type') !== MODEL_LIMIT) throw error;
            heartbeat.set({ progress: String(fieldOf(error, 'message')) });
            await sleep(finiteMs(fieldOf(error, 'retryAfterMs')), undefined, { signal: context.signal });
          }
        }
      } finally {
        heartbeat.set({ progress });
      }
    },
  };
}
