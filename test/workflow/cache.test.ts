import { afterAll, expect, test } from 'vitest';
import { noUsage } from '../../agent/values/vocabulary.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { answer, modelOf } from '../support/scripts.ts';

const rigs: Rig[] = [];
afterAll(() => Promise.all(rigs.map((rig) => rig.stop())));

test('a cache answers an identical request at temperature 0, and that costs nothing', async () => {
  const model = modelOf(() => answer('42'));
  const warm = modelOf(() => answer('43'));
  const rig = await startRig({
    agents: [
      { name: 'cold', model, temperature: 0 },
      { name: 'warm', model: warm, temperature: 0.7 },
    ],
    cache: true,
  });
  rigs.push(rig);
  const first = await rig.client.run('cold', 'what?');
  const second = await rig.client.run('cold', 'what?');
  const other = await rig.client.run('cold', 'who?');
  expect([first, second, other].map(({ output, usage }) => [output, usage.modelCalls])).toEqual([
    ['42', 1],
    ['42', 0],
    ['42', 1],
  ]);
  expect(second.usage).toEqual(noUsage);
  expect(model.requests).toHaveLength(2);

  await rig.client.run('warm', 'what?');
  await rig.client.run('warm', 'what?');
  expect(warm.requests).toHaveLength(2);
});

test('without a cache every request is made', async () => {
  const model = modelOf(() => answer('42'));
  const rig = await startRig({ agents: [{ name: 'cold', model, temperature: 0 }] });
  rigs.push(rig);
  await rig.client.run('cold', 'what?');
  await rig.client.run('cold', 'what?');
  expect(model.requests).toHaveLength(2);
});
