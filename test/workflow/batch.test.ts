import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentRunFailed, InvalidInput } from '../../client/errors.ts';
import { ModelError, defineModel } from '../../models/model.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { answer, promptOf } from '../support/scripts.ts';

const questions: string[] = [];

/** Answers with the question; knows nothing of Atlantis. */
const echo = defineModel({
  call: async (request) => {
    const question = /Question: (.*)\nThought:$/u.exec(promptOf(request))?.[1] ?? '';
    questions.push(question);
    if (question === 'Atlantis?')
      throw new ModelError('ModelBadRequest', 'there is no Atlantis', { retryable: false });
    return {
      text: answer(`re ${question}`),
      toolCalls: [],
      finishReason: 'stop',
      usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
    };
  },
});

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ agents: [{ name: 'echo', model: echo }] });
});
afterAll(() => rig.stop());

test('a batch answers every input but the failing ones, in order', async () => {
  const results = await rig.client.batch('echo', ['Rome?', 'Atlantis?', '', 'Oslo?'], { concurrency: 2 });
  expect(
    results.map((result) =>
      result.status === 'fulfilled' ? result.value.output : (result.reason as Error).constructor,
    ),
  ).toEqual(['re Rome?', AgentRunFailed, InvalidInput, 're Oslo?']);
});

test('a batch that is started again goes on where it was', async () => {
  const id = `batch-${randomUUID()}`;
  const first = await rig.client.batch('echo', ['Lima?', 'Bern?'], { id });
  questions.length = 0;
  const again = await rig.client.batch('echo', ['Lima?', 'Bern?', 'Kyiv?'], { id });
  expect(again.slice(0, 2)).toEqual(first);
  expect(again).toHaveLength(3);
  expect(questions).toEqual(['Kyiv?']);
});
