/** The least that two activities a step can cost: no model is asked, and no transcript is kept. */
import { ANSWER, observation } from '../task.ts';
import { handwrittenWorker } from './handwritten-worker.ts';
import { serve } from './serve.ts';

await serve((options) => {
  const observed = observation(options.observationBytes);
  return handwrittenWorker(options, {
    think: async (_run, steps, step) => (step > steps ? { answer: ANSWER } : { step }),
    look: async () => observed,
  });
});
