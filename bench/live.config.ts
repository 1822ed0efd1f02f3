import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineConfig, defineModel } from 'reloop';

const CHUNKS = 100;
const CHUNK_MS = 20;

/** Writes 50 times a second; each chunk is the time at which the model wrote it. */
const clock = defineModel({
  async call(_request, { onText }) {
    let text = '';
    for (let chunk = 0; chunk < CHUNKS; chunk++) {
      const piece = `${Date.now()} `;
      text += piece;
      onText?.(piece);
      await sleep(CHUNK_MS);
    }
    return {
      text,
      toolCalls: [],
      finishReason: 'stop',
      usage: { promptTokens: 1, completionTokens: CHUNKS, totalTokens: CHUNKS + 1 },
    };
  },
});

/** The agent of the second part of bench/live.ts. */
export default defineConfig({ agents: [defineAgent({ name: 'clock', model: clock })] });
