/**
 * Puts one defect after the other into a copy of the sources, and counts the simulations until it is found:
 * `npm run mutants -- [--seed N] [--runs N] [--only WORDS,WORDS] [--profile NAME] [--known]`. Prints a table. `--profile`: runs only the seeds of
 * this profile. `--known`: runs only the seed that found the defect last.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { type Mutant, editsOf, mutants } from './mutants.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '20000' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
    known: { type: 'boolean', default: false },
  },
});

/** Folders that a simulation does not need. */
const LEFT_OUT = ['node_modules', 'dist', '.git', 'docs', 'examples', 'fixtures'];

console.log('| defect | finding | found by seed | what the simulator says |\n| --- | --- | --- | --- |');
let missed = 0;
for (const mutant of mutants.filter(isChosen)) {
  const { runs, seed, sentence } = await untilFound(mutant);
  if (seed === undefined) missed++;
  console.log(
    `| ${mutant.name} | ${mutant.finding ?? ''} | ${seed ?? `not in ${runs}`} | ${sentence ?? ''} |`,
  );
}
process.exit(missed === 0 ? 0 : 1);

/** The name has some of the words, or the finding is one of them. */
function isChosen({ name, finding }: Mutant): boolean {
  return values.only.split(',').some((words) => name.includes(words) || words === finding);
}

/** The seed of the first simulation with a broken law, and the law's sentence. undefined: none was broken. */
async function untilFound(mutant: Mutant): Promise<{ runs: number; seed?: number; sentence?: string }> {
  const chosen = values.profile === undefined || values.known ? [] : ['--profile', values.profile];
  const [seed, most] = values.known ? [String(mutant.seed ?? values.seed), '1'] : [values.seed, values.runs];
  const folder = await mkdtemp(join(tmpdir(), 'reloop-mutant-'));
  try {
    await cp('.', folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
    await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
    for (const { file, find, replace } of editsOf(mutant)) {
      const copy = join(folder, file);
      const text = await readFile(copy, 'utf8');
      await writeFile(
        copy,
        text.replace(find, () => replace),
      );
    }
    const { stdout, stderr } = await execa(
      process.execPath,
      [
        '--max-semi-space-size=64',
        '--import',
        'tsx',
        'test/simulation/main.ts',
        '--first',
        '--seed',
        seed,
        '--runs',
        most,
        ...chosen,
      ],
      { cwd: folder, reject: false },
    );
    const lines = stdout.split('\n');
    const runs = Number.parseInt(lines.at(-1) ?? '', 10);
    if (Number.isNaN(runs)) throw new Error(`${mutant.name}: ${stdout} ${stderr}`);
    const at = lines.findIndex((line) => /^seed \d+:$/u.test(line));
    const sentence = lines[at + 1]?.trim().slice(0, 120).replaceAll('|', '/');
    if (at < 0 || sentence === undefined) return { runs };
    return { runs, seed: Number(lines[at]?.match(/\d+/u)?.[0]), sentence };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
