/** The least that two activities a step can cost: no model is asked, and no transcript is kept. */
import { ANSWER, observation, pause } from '../task.ts';
import { handwrittenWorker } from './handwritten-worker.ts';
import { serve } from './serve.ts';

await serve((options) => {
  const { modelMs, toolMs } = options;
  const observed = observation(options.observationBytes);
  return handwrittenWorker(options, {
    async think(_run, steps, step) {
      await pause(modelMs);
      return step > steps ? { answer: ANSWER } : { step };
    },
    async look() {
      await pause(toolMs);
      return observed;
    },
  });
});
