import { expect, test } from 'vitest';
import { runChaos } from '../cluster/chaos.ts';

const cases = [
  { title: '', seed: 1, encrypted: false },
  { title: ' with encryption, and the database has no clear text', seed: 2, encrypted: true },
];

test.each(cases)(
  'no law is broken when processes are killed under runs$title',
  async ({ seed, encrypted }) => {
    const { broken, counts } = await runChaos({
      seed,
      seconds: 40,
      postgres: false,
      encrypted,
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
  },
);
