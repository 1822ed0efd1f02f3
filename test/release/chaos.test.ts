import { expect, test } from 'vitest';
import { runChaos } from '../cluster/chaos.ts';

interface Case {
  seed: number;
  encrypted?: boolean;
  versions?: boolean;
  /** Counts that the case has beside those of all. */
  more?: string[];
}

const cases: [title: string, options: Case][] = [
  ['no law is broken when processes are killed', { seed: 1 }],
  ['no law is broken with encryption, and the database has no clear text', { seed: 2, encrypted: true }],
  [
    'no law is broken while versions are promoted',
    { seed: 3, versions: true, more: ['runs on version 1', 'runs on version 2'] },
  ],
];

test.each(cases)('%s', async (_title, { more = [], ...options }) => {
  const { broken, counts } = await runChaos({
    ...options,
    // The fault that comes last, a SIGKILL of the Temporal server, is due after 39 s.
    seconds: 50,
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
      ...more,
    ]),
  );
});
