import { proxyActivities } from '@temporalio/workflow';

/**
 * The loop as one would write it by hand: two activities a step, the transcript kept by the activities, outside
 * history. What bench/overhead.ts compares with.
 */
export interface HandwrittenActivities {
  think(run: string, step: number): Promise<{ tool: string; input: string } | { answer: string }>;
  look(run: string, input: string): Promise<string>;
}

export async function handwritten(run: string): Promise<string> {
  const { think, look } = proxyActivities<HandwrittenActivities>({
    startToCloseTimeout: '1m',
    heartbeatTimeout: '10s',
  });
  for (let step = 1; ; step++) {
    const decision = await think(run, step);
    if ('answer' in decision) return decision.answer;
    await look(run, decision.input);
  }
}
