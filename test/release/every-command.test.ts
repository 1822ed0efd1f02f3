import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { cli } from '../../cli/cli.ts';
import type { Output } from '../../cli/shell/io.ts';
import { createProgram } from '../../cli/program.ts';
import hostile, { HOSTILE } from '../fixtures/configs/hostile.config.ts';
import { fakeIo } from '../support/fake-io.ts';
import { useRig } from '../support/rig.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Command lines of each command, carried out where agents, tools and questions are hostile to a terminal. */
const rows: { [command: string]: string[][] } = {
  init: [
    ['FOLDER/a', '--no-install'],
    ['FOLDER/b', '--no-install', '--json'],
  ],
  run: [
    ['hostile', HOSTILE, '--verbose'],
    ['hostile', HOSTILE, '--json'],
    ['stuck', HOSTILE, '--no-wait'],
    ['hostile', HOSTILE, '--detach', '--id', 'left'],
  ],
  batch: [
    ['hostile', 'FOLDER/questions.jsonl', '--id', 'lot'],
    ['hostile', 'FOLDER/questions.jsonl', '--id', 'lot', '--json'],
    ['hostile', 'FOLDER/questions.jsonl', '--id', 'lot', '--out', 'FOLDER/lot.csv'],
  ],
  chat: [['talker'], ['talker', '--json']],
  list: [
    ['--agent', 'stuck'],
    ['--agent', 'hostile', '--json'],
    ['--agent', 'hostile', '--full'],
  ],
  report: [
    ['--agent', 'hostile'],
    ['--agent', 'hostile', '--json'],
  ],
  show: [
    ['told'],
    ['told', '--json'],
    ['told', '--prompt', '2'],
    ['told', '--prompt', '2', '--json'],
    ['waits'],
  ],
  watch: [['told'], ['told', '--json'], ['told', '--events'], ['waits', '--no-wait']],
  check: [
    ['--config', 'CONFIG'],
    ['--config', 'CONFIG', '--json'],
  ],
  export: [['told'], ['told', '--prompts', '--config', 'CONFIG'], ['told', '--html']],
  backtest: [
    ['hostile', '--runs', 'told', '--model', 'other'],
    ['hostile', '--runs', 'told', '--json'],
  ],
  ...Object.fromEntries(
    ['retry', 'reconcile', 'skip', 'abort', 'approve', 'reject', 'stop'].map((name) => [
      name,
      [
        ['--all', '--dry-run', '--agent', 'stuck'],
        ['--all', '--dry-run', '--agent', 'stuck', '--json'],
      ],
    ]),
  ),
  resolve: [
    ['--all', '--dry-run', '--agent', 'stuck', HOSTILE],
    ['waits', HOSTILE, '--json'],
  ],
  say: [['other', HOSTILE, '--json']],
  pause: [['other', '--json']],
  resume: [['other', '--json']],
  extend: [['other', '--iterations', '2', '--json']],
  cancel: [
    ['--all', '--dry-run', '--agent', 'stuck'],
    ['other', '--json'],
  ],
  rewind: [['told', '--step', '5', '--json']],
  fork: [
    ['told', '--step', '5', '--say', HOSTILE],
    ['told', '--step', '5', '--json'],
  ],
  'session list': [[], ['--json']],
  'session show': [['talk'], ['talk', '--json']],
  'session clear': [['talk', '--json']],
  'schedule create': [
    ['daily', 'hostile', HOSTILE, '--cron', '0 7 * * *'],
    ['nightly', 'hostile', HOSTILE, '--cron', '0 1 * * *', '--json'],
  ],
  'schedule list': [[], ['--json']],
  'schedule show': [['daily'], ['daily', '--json']],
  'schedule pause': [['daily', '--note', HOSTILE, '--json']],
  'schedule resume': [['daily', '--note', HOSTILE]],
  'schedule trigger': [['daily']],
  'schedule backfill': [['daily', '--start-time', '2026-01-01', '--end-time', '2026-01-01T01:00Z', '--json']],
  'schedule delete': [
    ['daily', '--json'],
    ['nightly', '--json'],
  ],
  'schedule sync': [
    ['--config', 'CONFIG'],
    ['--config', 'CONFIG', '--dry-run', '--json'],
  ],
  'eval run': [
    ['mean', '--id', 'scored'],
    ['mean', '--id', 'scored', '--json'],
  ],
  'eval show': [
    ['mean', '--id', 'scored'],
    ['mean', '--id', 'scored', '--json'],
  ],
  // It has no file to add to.
  'eval add': [['told']],
  'budgets list': [[], ['--json']],
  'budgets extend': [
    ['all', '--tokens', '5'],
    ['all', '--tokens', '5', '--id', 'one', '--as', 'ada', '--json'],
  ],
  worker: [['--json']],
  'deploy status': [[], ['--json']],
  'deploy promote': [['none', '--json']],
  'deploy ramp': [['none', '5']],
  'deploy drain': [['none']],
  agents: [[], ['--json']],
  tools: [[], ['--json']],
  doctor: [[], ['--json']],
  completion: [['bash']],
  complete: [['--', 'run', 'h']],
  // It refuses a server that somebody named. Its lines go the way of all others.
  dev: [[]],
  // It refuses a config without keys.
  'codec-server': [[]],
  // It refuses a host that others reach.
  serve: [['--open', '--host', '0.0.0.0']],
  // It refuses an agent that is not there.
  mcp: [['nobody']],
};

/** Rows that print nothing on stdout. */
const SILENT = [
  `run stuck ${HOSTILE} --no-wait`,
  'watch waits --no-wait',
  ...['reconcile', 'approve', 'reject', 'stop'].map((name) => `${name} --all --dry-run --agent stuck`),
  'batch hostile FOLDER/questions.jsonl --id lot --out FOLDER/lot.csv',
  `schedule resume daily --note ${HOSTILE}`,
  'eval add told',
  'deploy ramp none 5',
  'deploy drain none',
  'dev',
  'codec-server',
  'serve --open --host 0.0.0.0',
  'mcp nobody',
];

const folder = tempFolder();
const config = fileURLToPath(new URL('../fixtures/configs/hostile.config.ts', import.meta.url));
const rig = useRig(hostile);
beforeAll(async () => {
  const { client } = rig;
  writeFileSync(join(folder, 'questions.jsonl'), `${JSON.stringify(HOSTILE)}\n`);
  await client.run('hostile', HOSTILE, { id: 'told' }).catch(() => undefined);
  await client.run('talker', HOSTILE, { session: 'talk' });
  for (const id of ['waits', 'other']) {
    const run = await client.start('stuck', HOSTILE, { id });
    for await (const event of run.events()) if (event.type === 'waiting') break;
  }
}, 60_000);

/** A terminal on a full disk: remembers what was written, and fails each write to stdout. */
function fullTerminal() {
  const io = fakeIo({ typed: `${HOSTILE}\n`, terminal: true, columns: 120 });
  const full: Output = {
    ...io.stdout,
    write(text, done) {
      io.stdout.write(text);
      done?.(text === '' ? null : Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
    },
  };
  const stdin = Object.assign(io.stdin, { isTTY: false });
  return { ...io, stdin, stdout: full, env: process.env };
}

async function carryOut(command: string, args: string[]) {
  const io = fullTerminal();
  const common = ['--address', inject('temporalAddress'), '--task-queue', rig.taskQueue, '--config', config];
  const own = args.map((arg) => arg.replace('FOLDER', folder).replace('CONFIG', config));
  const takesNone = ['init', 'completion', 'complete'].includes(command);
  const ended = cli([...command.split(' '), ...(takesNone ? [] : common), ...own], io);
  if (command === 'worker') {
    for (let tries = 0; tries < 1_500 && !io.err().includes('Worker ready'); tries++) await sleep(20);
    io.signal('SIGTERM');
  }
  return { code: await ended, out: io.out(), err: io.err() };
}

/** Control characters on a terminal, but for line breaks, tabs and what we draw with: colors, and the cursor that goes up. */
function controlsIn(text: string): string[] {
  const ours = /\x1b\[(?:[\d;]*m|\d+A|0J)/gu;
  return text.replace(ours, '').match(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/gu) ?? [];
}

function names({ commands }: Pick<Command, 'commands'>, before = ''): string[] {
  return commands.flatMap((command) => {
    const name = `${before}${command.name()}`;
    return command.commands.length > 0 ? names(command, `${name} `) : [name];
  });
}

describe('every command', () => {
  const lines = Object.entries(rows).flatMap(([command, list]) => list.map((args) => ({ command, args })));

  test('has a row here', () => {
    const program = createProgram(fakeIo(), '', () => undefined);
    expect(Object.keys(rows).toSorted()).toEqual(names(program).toSorted());
  });

  test.each(lines)(
    '$command $args sends a terminal no control characters, and fails where stdout is full',
    async ({ command, args }) => {
      const { code, out, err } = await carryOut(command, args);
      expect({ out: controlsIn(out), err: controlsIn(err) }).toEqual({ out: [], err: [] });
      const line = [command, ...args].join(' ');
      const isSilent = SILENT.includes(line);
      expect({ isSilent, err }).toEqual({ isSilent: out === '', err });
      expect(err.includes('error: The output could not be written: ENOSPC')).toBe(!isSilent);
      expect(isSilent || code !== 0).toBe(true);
    },
  );
});
