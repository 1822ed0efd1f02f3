/**
 * Puts one defect after the other into a copy of the sources, and counts the simulations until it is found:
 * `npm run mutants -- [--seed N] [--runs N] [--only WORDS,WORDS] [--known]`. Prints a table. `--known`: runs only the seed that found the
 * defect last.
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
    known: { type: 'boolean', default: false },
  },
});

/** Folders that a simulation does not need. */
const LEFT_OUT = ['node_modules', 'dist', '.git', 'docs', 'examples', 'fixtures'];

console.log('| defect | finding | found by run | what the simulator says |\n| --- | --- | --- | --- |');
let missed = 0;
for (const mutant of mutants.filter(isChosen)) {
  const { runs, sentence } = await untilFound(mutant);
  if (sentence === undefined) missed++;
  console.log(
    `| ${mutant.name} | ${mutant.finding ?? ''} | ${sentence === undefined ? `not in ${runs}` : runs} | ${sentence ?? ''} |`,
  );
}
process.exit(missed === 0 ? 0 : 1);

/** The name has some of the words, or the finding is one of them. */
function isChosen({ name, finding }: Mutant): boolean {
  return values.only.split(',').some((words) => name.includes(words) || words === finding);
}

/** Number of runs until the first broken law, and the law's sentence; undefined: none was broken. */
async function untilFound(mutant: Mutant): Promise<{ runs: number; sentence?: string }> {
  const [seed, most] = values.known ? [String(mutant.seed ?? values.seed), '1'] : [values.seed, values.runs];
  const folder = await mkdtemp(join(tmpdir(), 'reloop-mutant-'));
  try {
    await cp('.', folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
    await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
    for (const { file, find, replace } of editsOf(mutant)) {
      const text = await readFile(file, 'utf8');
      await writeFile(
        join(folder, file),
        text.replace(find, () => replace),
      );
    }
    const { stdout, stderr } = await execa(
      process.execPath,
      ['--import', 'tsx', 'test/simulation/main.ts', '--first', '--seed', seed, '--runs', most],
      { cwd: folder, reject: false },
    );
    const lines = stdout.split('\n');
    const runs = Number.parseInt(lines.at(-1) ?? '', 10);
    if (Number.isNaN(runs)) throw new Error(`${mutant.name}: ${stdout} ${stderr}`);
    const at = lines.findIndex((line) => /^seed \d+:$/u.test(line));
    const sentence = lines[at + 1]?.trim().slice(0, 120).replaceAll('|', '/');
    return at < 0 || sentence === undefined ? { runs } : { runs, sentence };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
