import { expect, test } from 'vitest';
import { runChaos } from '../cluster/chaos.ts';

test('no law is broken when processes are killed under runs', async () => {
  const { broken, counts } = await runChaos({
    seed: 1,
    seconds: 40,
    postgres: false,
    open: 20,
    say: (line) => console.error(line),
  });
  expect(broken).toEqual([]);
  expect(Object.keys(counts)).toEqual(
    expect.arrayContaining([
      'SIGKILL of a worker',
      'SIGSTOP of a worker',
      'SIGKILL of the Temporal server',
      'runs completed',
      'effects of mail',
      'words accepted',
    ]),
  );
});
