import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { AgentRunFailed, InvalidInput } from '../../client/connect/errors.ts';
import { ModelError } from '../../models/model.ts';
import { useRig } from '../support/rig.ts';
import { answer, modelOf, promptOf } from '../support/scripts.ts';

const questions: string[] = [];

/** Answers with the question; knows nothing of Atlantis. */
const echo = modelOf((_step, request) => {
  const question = /Question: (.*)\nThought:$/u.exec(promptOf(request))?.[1] ?? '';
  questions.push(question);
  if (question === 'Atlantis?')
    throw new ModelError('ModelBadRequest', 'there is no Atlantis', { retryable: false });
  return answer(`re ${question}`);
});

const rig = useRig({ agents: [{ name: 'echo', model: echo }] });

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
