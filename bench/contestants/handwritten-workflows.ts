import { proxyActivities } from '@temporalio/workflow';

/** The loop as one would write it by hand: two activities a step. */
export interface HandwrittenActivities {
  /** What the model says of the transcript that the worker keeps for this run. */
  think(run: string, steps: number, step: number): Promise<Thought>;
  look(run: string, step: number): Promise<string>;
}

export type Thought = { step: number } | { answer: string };

const { think, look } = proxyActivities<HandwrittenActivities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '10s',
});

export async function handwritten(run: string, steps: number): Promise<string> {
  for (let step = 1; ; step++) {
    const thought = await think(run, steps, step);
    if ('answer' in thought) return thought.answer;
    await look(run, thought.step);
  }
}
