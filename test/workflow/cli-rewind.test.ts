import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { useCli } from '../support/cli-rig.ts';
import { act, answer } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Steps that are done again, as typed. */
const mended = join(tempFolder(), 'mended');
let finalAnswer = 'first';
const { cli, config, report } = useCli(
  'cli',
  ({ body }) => {
    const text = JSON.stringify(body);
    const asked = text.slice(text.indexOf('Question: broken?'));
    if (asked.includes('Observation: '))
      return answer(asked.includes('by hand') ? 'saw by hand' : finalAnswer);
    return act('broken', 'x');
  },
  { CLI_MENDED: mended },
);

test('a run is retried, taken back and forked, and the command leaves it to its worker', async () => {
  await cli('run', 'asker', 'broken?', '--no-wait', '--id', 'r1', ...config);
  expect((await cli('abort', 'r1')).code).toBe(0);
  await expect.poll(async () => (await report('r1')).status).toBe('failed');

  writeFileSync(mended, '');
  const connecting = vi.spyOn(Connection, 'connect');
  const retried = await cli('retry', 'r1', '--json');
  expect(connecting).toHaveBeenCalledOnce();
  connecting.mockRestore();
  expect({ ...retried, stdout: JSON.parse(retried.stdout) as unknown }).toMatchObject({
    code: 0,
    stdout: { id: 'r1', step: 1, calls: ['1.1'] },
    stderr: expect.stringContaining('Run r1 continues from call 1.1, as run '),
  });
  expect(await cli('watch', 'r1')).toMatchObject({ code: 0, stdout: 'first\n' });

  expect(await cli('retry', 'r1')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('error: retry: run r1 has its answer'),
  });
  expect(await cli('rewind', 'r1', '--step', '7')).toMatchObject({
    code: 2,
    stderr: 'error: rewind: run r1 has no step 7. Its steps: 1, 2.\n',
  });
  expect(await cli('rewind', 'r1', '--step', '1.1')).toMatchObject({ code: 2 });
  expect((await cli('rewind', 'r1', '--step', '1.1/2')).stderr).toContain('reloop rewind r1/1.1 with step 2');

  const forked = await cli('fork', 'r1', '--step', '2', '--edit', '1.1=by hand', '--id', 'r1-fork');
  expect(forked).toMatchObject({ code: 0, stdout: 'r1-fork\n' });
  expect(await cli('watch', 'r1-fork')).toMatchObject({ code: 0, stdout: 'saw by hand\n' });
  const shown = (await cli('show', 'r1-fork')).stdout;
  expect(shown).toContain('Forked from run r1 at step 2');
  expect(shown).toContain('Observation 1.1, changed: by hand');
  expect(await report('r1-fork')).toMatchObject({
    id: 'r1-fork',
    intermediateSteps: [{ observation: 'by hand' }],
  });

  finalAnswer = 'second';
  const rewound = await cli('rewind', 'r1', '--step', '2');
  expect(rewound).toMatchObject({ code: 0, stdout: '' });
  expect(rewound.stderr).toMatch(/^Run r1 continues from step 2\n$/u);
  const watched = await cli('watch', 'r1');
  expect(watched).toMatchObject({ code: 0, stdout: 'second\n' });
  expect(watched.stderr).toContain('Rewound to step 2');
  expect(await report('r1')).toMatchObject({ output: 'second', iterations: 2, status: 'completed' });
}, 180_000);
