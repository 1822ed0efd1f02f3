import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mcp } from '../../adapters/tools/index.ts';
import { startRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

test('a run goes on when the MCP server of a call dies: the retry starts it again', async () => {
  const died = join(tempFolder(onTestFinished), 'died');
  const command = { command: process.execPath, args: ['--import', 'tsx', 'test/fixtures/mcp-stdio.ts'] };
  const tools = await mcp(command, { only: ['die', 'fail'], retry: { initialInterval: 1 } });
  const replies = [act('die', died), act('fail', '{}'), answer('done')];
  const model = modelOf((step) => replies[Number(step) - 1] ?? '');
  const rig = await startRig({ agents: [{ name: 'a', model, tools }] });
  onTestFinished(() => rig.stop());

  const run = await rig.client.start('a', 'Is it alive?');
  const { output, intermediateSteps } = await run.result();
  expect(output).toBe('done');
  expect(intermediateSteps).toMatchObject([
    { observation: 'alive', attempts: 2 },
    { observation: 'there is no such file', attempts: 1 },
  ]);
});
