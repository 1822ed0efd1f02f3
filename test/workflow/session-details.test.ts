import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionId } from '../../agent/session/session.ts';
import { ModelError, defineModel } from '../../models/model.ts';
import { type Rig, startRig } from '../support/rig.ts';

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const model = defineModel({
  call({ prompt }) {
    const asked = JSON.stringify(prompt);
    if (asked.includes('no good')) throw new ModelError('ModelBadRequest', 'refused', { retryable: false });
    return Promise.resolve({ text: 'hello to you', toolCalls: [], finishReason: 'stop', usage });
  },
});

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ agents: [{ name: 'talker', kind: 'tool-calling', model }] });
});
afterAll(() => rig.stop());

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
  expect(currentDetails).toContain('**You**: hello\n\n**Agent**: hello to you\n\n**You**: again');
});
