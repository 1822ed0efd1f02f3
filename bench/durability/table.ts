import type { Result } from './contest.ts';
import type { Score } from './judge.ts';
import { type Story, storyOf } from './stories.ts';

/** Counts that every story has. */
type Count = Exclude<keyof Score, 'secondsUntilNext' | 'secondsUntilReady' | Special | 'secondsUntilOver'>;
/** Counts of one kind of story. */
type Special = 'afterCancel' | 'notCancelled' | 'messagesLost' | 'unknowing' | 'bytesAStep';

const counts: readonly [string, Count][] = [
  ['kills', 'kills'],
  ['effects doubled', 'doubled'],
  ['effects lost', 'lost'],
  ['in doubt, asked', 'inDoubt'],
  ['replies paid twice', 'paidTwice'],
  ['wrong answers', 'wrongAnswers'],
  ['failed', 'failed'],
  ['stuck', 'stuck'],
];

/** Begin and end of the part of docs/durability.md that is written from the results. */
export const RESULTS = /(?<=<!-- results -->\n)[\s\S]*(?=<!-- end of results -->)/u;

/** A table in Markdown, with a row for each contestant and story. */
export function table(results: readonly Result[]): string {
  const head = [
    'contestant',
    'story',
    ...counts.map(([title]) => title),
    'goes on after, median s',
    'of them start',
    'bytes a step',
  ];
  const rows = results.map(({ contestant, story, score }) => [
    contestant,
    story,
    ...counts.map(([, count]) => `${score[count]}`),
    median(score.secondsUntilNext),
    median(score.secondsUntilReady),
    `${score.bytesAStep ?? '-'}`,
  ]);
  return markdown(head, rows);
}

/** The tables of docs/durability.md: the stories of one run together, then each story for two of the counts, then versions. */
export function tables(results: readonly Result[]): string {
  const names = [...new Set(results.map(({ contestant }) => contestant))];
  const of = (name: string) => results.filter(({ contestant }) => contestant === name);
  /** Stories of one run and the death of its program. */
  const ofOneRun = (name: string) => of(name).filter(({ story }) => isOfOneRun(storyOf(story)));
  const sum = (name: string, count: Count) =>
    ofOneRun(name).reduce((total, { score }) => total + score[count], 0);
  /** A cancel takes other times. */
  const timed = (name: string) =>
    ofOneRun(name).filter(({ story }) => storyOf(story).cancelsAt === undefined);
  const all = names.map((name) => [
    `\`${name}\``,
    ...counts.map(([, count]) => `${sum(name, count)}`),
    median(timed(name).flatMap(({ score }) => score.secondsUntilNext)),
    median(timed(name).flatMap(({ score }) => score.secondsUntilReady)),
    `${of(name).find(({ score }) => score.bytesAStep !== undefined)?.score.bytesAStep ?? '-'}`,
  ]);
  const versions = names.map((name) => {
    const latest = of(name)
      .toSorted((a, b) => a.date.localeCompare(b.date))
      .at(-1);
    const list = Object.entries(latest?.versions ?? {}).map(([product, version]) => `${product} ${version}`);
    return [`\`${name}\``, list.join(', '), latest?.date ?? ''];
  });
  return [
    'All stories but `server-restart` and `batch`:',
    markdown(
      [
        'contestant',
        ...counts.map(([title]) => title),
        'median seconds until it goes on',
        'of them its start',
        'bytes stored a step',
      ],
      all,
    ),
    'Effects doubled, in so many kills:',
    byStory(results, names, 'doubled'),
    'Replies paid twice, in so many kills:',
    byStory(results, names, 'paidTwice'),
    ...titled('A run that is cancelled while its tool works, in so many kills:', ofCancel(results)),
    ...titled('A conversation of ten messages, in so many kills:', ofConversation(results)),
    'Versions:',
    markdown(['contestant', 'versions', 'played on'], versions),
  ].join('\n\n');
}

const isOfOneRun = ({ runs, kills, weighs }: Story): boolean =>
  runs === undefined && kills === undefined && weighs === undefined;

function byStory(results: readonly Result[], names: readonly string[], count: Count): string {
  const stories = [...new Set(results.map(({ story }) => story))].filter(
    (story) => storyOf(story).weighs === undefined,
  );
  const rows = stories.map((story) => [
    story,
    ...names.map((name) => {
      const found = results.find((one) => one.contestant === name && one.story === story);
      return found === undefined ? '-' : `${found.score[count]} in ${found.score.kills}`;
    }),
  ]);
  return markdown(['story', ...names.map((name) => `\`${name}\``)], rows);
}

/** A table with its title, where it has rows. */
function titled(title: string, rows: { head: readonly string[]; rows: readonly string[][] }): string[] {
  return rows.rows.length === 0 ? [] : [title, markdown(rows.head, rows.rows)];
}

function ofCancel(results: readonly Result[]) {
  const rows = results
    .filter(({ score }) => score.afterCancel !== undefined)
    .map(({ contestant, score }) => [
      `\`${contestant}\``,
      ...[score.kills, score.afterCancel, score.notCancelled, score.failed, score.stuck].map(String),
      median(score.secondsUntilOver ?? []),
    ]);
  const head = ['kills', 'effects after the cancel', 'went on to the answer', 'failed', 'stuck'];
  return { head: ['contestant', ...head, 'median seconds until cancelled'], rows };
}

function ofConversation(results: readonly Result[]) {
  const rows = results
    .filter(({ score }) => score.messagesLost !== undefined)
    .map(({ contestant, score }) => [
      `\`${contestant}\``,
      ...[score.kills, score.messagesLost, score.unknowing, score.doubled, score.failed, score.stuck].map(
        String,
      ),
    ]);
  const head = ['kills', 'messages lost', 'answers that do not know an earlier message', 'effects doubled'];
  return { head: ['contestant', ...head, 'failed', 'stuck'], rows };
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function median(values: readonly number[]): string {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  return middle === undefined ? '-' : middle.toFixed(1);
}
