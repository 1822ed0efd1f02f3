import { expect, test } from 'vitest';
import { EmitOnce } from '../../../worker/emit-once.ts';

/** Keys that a listener gets of tasks, each of which tells keys from a number on. */
function heard(tasks: [from: number, keys: string][], run = (_task: number) => 'run'): string {
  const told = new EmitOnce();
  return tasks
    .flatMap(([from, keys], task) =>
      keys.split('').filter((key, at) => told.isNew(run(task), from + at, key)),
    )
    .join('');
}

test.each<[title: string, tasks: [number, string][], expected: string]>([
  ['events of tasks in a row, also equal ones', [[0, 'ab'], [2, 'ba'], [4, 'a']], 'abbaa'], // prettier-ignore
  ['a task that is done again once', [[0, 'ab'], [2, 'cd'], [2, 'cd'], [4, 'e']], 'abcde'], // prettier-ignore
  ['a task that is done again twice', [[0, 'a'], [1, 'bc'], [1, 'bc'], [1, 'bcd']], 'abcd'], // prettier-ignore
  ['what came between when a task was done again', [[0, 'a'], [1, 'bc'], [1, 'bxc']], 'abcx'], // prettier-ignore
  ['an event that comes later when a task was done again', [[0, 'ab'], [0, 'xa'], [2, 'b']], 'abx'], // prettier-ignore
  ['events of a run whose first events another worker told', [[7, 'ab'], [9, 'c'], [9, 'c']], 'abc'], // prettier-ignore
])('a listener gets %s', (_, tasks, expected) => {
  expect(heard(tasks)).toBe(expected);
});

test('runs have nothing to do with each other', () => {
  expect(heard([[0, 'ab'], [0, 'ab']], (task) => `run ${task}`)).toBe('abab'); // prettier-ignore
});
