import type { Result } from './contest.ts';
import type { Score } from './judge.ts';

const columns: readonly [string, (score: Score) => string][] = [
  ['runs', ({ runs }) => `${runs}`],
  ['kills', ({ kills }) => `${kills}`],
  ['effects doubled', ({ doubled }) => `${doubled}`],
  ['effects lost', ({ lost }) => `${lost}`],
  ['in doubt, asked', ({ inDoubt }) => `${inDoubt}`],
  ['replies paid twice', ({ paidTwice }) => `${paidTwice}`],
  ['wrong answers', ({ wrongAnswers }) => `${wrongAnswers}`],
  ['failed', ({ failed }) => `${failed}`],
  ['stuck', ({ stuck }) => `${stuck}`],
  ['goes on after, median s', ({ secondsUntilNext }) => median(secondsUntilNext)],
];

/** A table in Markdown, with a row for each contestant and story. */
export function table(results: readonly Result[]): string {
  const head = ['contestant', 'story', ...columns.map(([name]) => name)];
  const rows = results.map(({ contestant, story, score }) => [
    contestant,
    story,
    ...columns.map(([, cell]) => cell(score)),
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function median(values: readonly number[]): string {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  return middle === undefined ? '-' : middle.toFixed(1);
}
