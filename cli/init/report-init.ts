import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { type Io, print, say } from '../shell/io.ts';
import { shellWord } from '../../client/connect/cli-name.ts';
import { padTo } from '../shell/display.ts';
import type { Installed } from './npm-install.ts';

/** Result of `reloop init`; the field names are those of --json. */
export interface InitReport {
  folder: string;
  created: string[];
  /** Files that were there, and are as they were. */
  left: string[];
  /** Entries added to an existing package.json: `scripts.dev`. */
  added: string[];
  /** Specification of reloop in package.json. */
  reloop: string;
  /** There was a config, so no agent was written. */
  hasConfig: boolean;
  notes: string[];
}

export function printReport(io: Io, { folder, created, left, added }: InitReport): void {
  const rows = [
    ['created', created],
    ['package.json got', added],
    ['left as it was', left],
  ] as const;
  print(io, folder);
  for (const [what, names] of rows) {
    if (names.length > 0) print(io, `  ${padTo(what, 16)}  ${names.join(', ')}`);
  }
}

/** Advice for files of the user that need a change which Reloop cannot make. */
export function notesOn({ folder, left, reloop, hasConfig }: Omit<InitReport, 'notes'>): string[] {
  const missing = left.includes('.gitignore') ? notIgnored(join(folder, '.gitignore')) : [];
  return [
    ...(hasConfig ? ['there is a config already, so no agent was added'] : []),
    ...(missing.length === 0 ? [] : [`.gitignore should have ${missing.join(' and ')} in it`]),
    ...(left.includes('tsconfig.json') && !hasConfig
      ? [
          'your tsconfig.json counts: these files need "module": "nodenext" (or "preserve") and "allowImportingTsExtensions"',
        ]
      : []),
    ...(reloop.startsWith('file:..')
      ? [
          `package.json names ${reloop}, outside the project. Before you build an image, ${intoTheProject(folder, reloop)}`,
        ]
      : []),
  ];
}

function intoTheProject(folder: string, reloop: string): string {
  const path = reloop.slice('file:'.length);
  if (!path.endsWith('.tgz')) return 'pack it (`npm pack`), and name the file with --package';
  const [place, from, file] = [folder, path, `./${basename(path)}`].map(shellWord);
  return `copy it: \`cd ${place} && cp ${from} . && npm install ${file}\``;
}

function notIgnored(file: string): string[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim().replace(/^\/|[/*]+$/gu, ''));
  return ['.env', 'node_modules'].filter((name) => !lines.includes(name));
}

/** The lines that come next. */
export function sayNext(io: Io, report: InitReport, { state, command }: Installed): void {
  const place = relative(process.cwd(), report.folder);
  const cd =
    place === ''
      ? []
      : [`cd ${shellWord(place.startsWith('..') ? report.folder : place.replace(/^-/u, './-'))}`];
  const packages = state === 'installed' ? [] : [command];
  const failed = 'The packages are not installed: npm says above why. The files stay. When that is fixed:';
  say(io, state === 'failed' ? `\n${failed}` : '\nNext:');
  for (const line of [...cd, ...packages, firstCommand(report)]) say(io, `  ${line}`);
  if (report.hasConfig || state === 'failed') return;
  say(
    io,
    'A script plays the model until .env has a key (see .env.example). `npx reloop dev` has Temporal and its Web UI.',
  );
}

function firstCommand({ hasConfig, created, added }: InitReport): string {
  if (hasConfig) return 'npx reloop agents';
  const isOurs = created.includes('package.json') || added.includes('scripts.start');
  return isOurs ? 'npm start' : 'npx reloop run assistant "What do 3 lamps cost?"';
}
