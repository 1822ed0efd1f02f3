import { expect } from 'vitest';

/** Opened by the test: what a tool, or the model, waits for. */
export function createGate() {
  const waiting: (() => void)[] = [];
  const reached = async (times: number) => {
    await expect.poll(() => waiting.length).toBeGreaterThanOrEqual(times);
  };
  return {
    pass: () => new Promise<void>((resolve) => void waiting.push(resolve)),
    reached,
    open: async () => {
      await reached(1);
      waiting.splice(0).forEach((resolve) => resolve());
    },
  };
}
