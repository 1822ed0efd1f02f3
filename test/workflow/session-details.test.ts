import { expect, test } from 'vitest';
import { sessionId } from '../../agent/session/session.ts';
import { ModelError } from '../../adapters/models/model.ts';
import { createGate } from '../support/gate.ts';
import { pngOf } from '../support/image.ts';
import { useRig } from '../support/rig.ts';
import { modelOf } from '../support/scripts.ts';

const gate = createGate();
const model = modelOf(async (_step, { prompt }) => {
  const last = prompt.type === 'messages' ? prompt.messages.at(-1)?.content : prompt.text;
  if (last === 'wait for room') await gate.pass();
  const asked = JSON.stringify(prompt);
  if (asked.includes('no good')) throw new ModelError('ModelBadRequest', 'refused', { retryable: false });
  return 'hello to you';
});

const rig = useRig({ agents: [{ name: 'talker', kind: 'tool-calling', model }] });

test('a session names its runs that came to nothing, and shows its conversation in the Web UI', async () => {
  const session = 'details-of-a-session';
  await rig.client.run('talker', 'hello', { session });
  const failed = await rig.client.start('talker', 'no good', { session });
  await expect(failed.result()).rejects.toMatchObject({ name: 'AgentRunFailed' });
  await rig.client.run('talker', 'again', { session });
  const described = () => rig.client.session(session).describe();
  await expect.poll(async () => (await described()).messages.length, { timeout: 20_000 }).toBe(4);
  expect((await described()).unanswered).toEqual([failed.id]);
  const handle = rig.temporal.workflow.getHandle(sessionId(session));
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toContain(
    '**You**:\n\n```\nhello\n```\n\n**Agent**:\n\n```\nhello to you\n```\n\n**You**:\n\n```\nagain\n```',
  );
});

test('a session runs no message that it refuses, and refuses none that it has taken', async () => {
  const session = 'full';
  const first = await rig.client.start('talker', 'wait for room', { session });
  await gate.reached(1);
  const large = (n: number) => `${n} ${'x'.repeat(150_000)}`;
  const send = (n: number, more: object) => ({ session, id: `full-${n}`, ...more });
  for (const n of [1, 2, 3, 4, 5, 6]) await rig.client.start('talker', large(n), send(n, { detach: true }));
  const withImage = [
    { type: 'text' as const, text: large(7) },
    { type: 'image' as const, image: pngOf(500) },
  ];
  await expect(rig.client.start('talker', withImage, send(7, {}))).rejects.toMatchObject({
    name: 'InvalidInput',
    message: 'send: 5 messages wait already, and no more fit. Send it again later.',
  });
  const again = rig.client.start('talker', large(5), send(5, {}));
  const described = () => rig.client.session(session).describe();
  const taken = [1, 2, 3, 4, 5].map((n) => `full-${n}`);
  expect((await described()).queued).toEqual(taken);
  await gate.open();
  await (await again).result();
  await expect.poll(async () => (await described()).running, { timeout: 20_000 }).toBeNull();
  expect(await described()).toMatchObject({ runs: [first.id, ...taken], queued: [] });
  expect((await rig.client.start('talker', large(5), send(5, {}))).id).toBe('full-5');
});
