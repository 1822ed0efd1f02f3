import { describe, expect, test } from 'vitest';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { brokenTool } from '../support/sample-tools.ts';

/** Half of a surrogate pair: JSON carries it as an escape, protobuf cannot, and a worker that tries is gone. */
const HALF = '\ud83d';
const SHOWN = '�';

const model = modelOf((step) => (step === '1' ? act('fails', 'x') : answer('ok')));
const fails = brokenTool('no', 'fails');

const rig = useRig({
  agents: [
    { name: 'a', model, tools: [fails] },
    { name: 'talker', kind: 'tool-calling', model: modelOf(() => 'ok') },
  ],
});

describe('half a character that comes', () => {
  test('as the id of a message to a session is refused, and the session and its worker live', async () => {
    const session = rig.client.session('half-characters');
    await (await rig.client.start('talker', 'first', { session: 'half-characters' })).result();
    const handle = rig.temporal.workflow.getHandle('session:half-characters');
    const message = { id: `run-${HALF}`, agent: 'talker', input: 'hello' };
    await expect(handle.executeUpdate('send', { args: [message] })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('send: id is a text of 1 to 200 characters') as string },
    });
    await handle.signal('send', message);
    const last = await rig.client.start('talker', 'last', { session: 'half-characters' });
    expect((await last.result()).output).toBe('ok');
    expect((await session.describe()).runs).toHaveLength(2);
  });

  test('in a decision is refused, or told to the model, as a whole one', async () => {
    const run = await rig.client.start('a', 'what?');
    await waitOf(run);
    const handle = rig.temporal.workflow.getHandle(run.id);
    await expect(handle.executeUpdate('retry', { args: [`1.1${HALF}`] })).rejects.toMatchObject({
      cause: { message: expect.stringContaining(`there is no open call 1.1${SHOWN}.`) as string },
    });
    await run.decide('1.1', { type: 'skip', reason: `why${HALF}` });
    expect((await run.result()).output).toBe('ok');
    const told = promptOf(model.requests.at(-1)?.request);
    expect(told).toContain(`why${SHOWN}`);
    expect(told).not.toContain(HALF);
  });
});
