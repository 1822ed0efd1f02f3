import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, type Metafile, build } from 'esbuild';

/**
 * The last part of `npm run build`: modules that `reloop` loads with a config become a few files, and the file of each passes on what it exports.
 * Node takes half a millisecond for each module; docs/performance.md has the numbers. A module is in one place only, as before.
 *
 * Modules with the same importers among these are in one file, so that none of them loads more than it needs. Those of workflows stay as they
 * are, since a worker evaluates them in its sandbox; and those of commands, since each command loads only some of them.
 */
const ENTRIES = {
  config: ['index.js', 'config/load/load.js'],
  workflows: ['workflows/index.js'],
  client: ['client/index.js'],
  gateway: ['gateway/index.js'],
  testing: ['features/testing/index.js'],
  evals: ['features/evals/index.js'],
  init: ['cli/commands/init.js'],
  dev: ['cli/commands/dev.js'],
  worker: ['worker/create-worker.js', 'worker/run-worker.js'],
};
/** Fewer modules than these are not worth a file. */
const FEWEST = 6;

const dist = fileURLToPath(new URL('..', import.meta.url));
const options = {
  absWorkingDir: dist,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  metafile: true,
  write: false,
  logLevel: 'warning',
} satisfies BuildOptions;

const graph = await graphOf(Object.values(ENTRIES).flat());
const chunks = groups().filter(([, files]) => files.length >= FEWEST);
// All are made before the first module is replaced.
const texts = await Promise.all(chunks.map(async ([, files]) => chunkOf(files)));
mkdirSync(join(dist, 'chunks'));
for (const [index, [name, files]] of chunks.entries()) {
  writeFileSync(join(dist, `chunks/${name}.js`), texts[index] ?? '');
  for (const file of files) {
    const names = exportsOf(file).map((one) => `${nameIn(files, file, one)} as ${one}`);
    const up = '../'.repeat(file.split('/').length - 1) || './';
    writeFileSync(join(dist, file), `export { ${names.join(', ')} } from '${up}chunks/${name}.js';\n`);
  }
}

/** Modules that are loaded with a config, by the entries that load them. */
function groups(): [name: string, files: string[]][] {
  const loaded = Object.entries(ENTRIES).map(([name, files]) => ({ name, files: loadedBy(files) }));
  const found = new Map<string, string[]>();
  for (const file of loadedBy(ENTRIES.config)) {
    const names = loaded.filter(({ files }) => files.has(file)).map(({ name }) => name);
    if (names.includes('workflows') || file.startsWith('cli/') || exportsOf(file).length === 0) continue;
    const group = names.join('-');
    found.set(group, [...(found.get(group) ?? []), file]);
  }
  return [...found];
}

/** One module with what all of these export. A module finds the files beside it from where it was. */
async function chunkOf(files: readonly string[]): Promise<string> {
  const passedOn = files.map((file) => {
    const names = exportsOf(file).map((one) => `${one} as ${nameIn(files, file, one)}`);
    return `export { ${names.join(', ')} } from './${file}';`;
  });
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: passedOn.join('\n'), resolveDir: dist },
    plugins: [
      {
        name: 'modules',
        setup({ onLoad, onResolve }) {
          onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
            const file = relative(dist, join(resolveDir, path));
            return files.includes(file) ? undefined : { path: `../${file}`, external: true };
          });
          onLoad({ filter: /\.js$/ }, ({ path }) => {
            const place = `new URL(${JSON.stringify(`../${relative(dist, path)}`)}, import.meta.url).href`;
            return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place) };
          });
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}

async function graphOf(entries: readonly string[]): Promise<Metafile> {
  const outdir = '.'; // nothing is written
  const { metafile } = await build({
    ...options,
    outdir,
    entryPoints: entries.map((file) => `./${file}`),
    splitting: true,
  });
  const files = Object.keys(metafile.inputs).map((file) => `./${file}`);
  // The outputs of one entry list its exports, so each module is an entry here.
  const alone = await build({ ...options, outdir, entryPoints: files, splitting: true });
  return alone.metafile;
}

function loadedBy(entries: readonly string[]): Set<string> {
  const found = new Set(entries);
  for (const file of found)
    for (const { path, kind, external } of graph.inputs[file]?.imports ?? [])
      if (kind !== 'dynamic-import' && external !== true) found.add(path);
  return found;
}

function exportsOf(file: string): string[] {
  return Object.values(graph.outputs).find(({ entryPoint }) => entryPoint === file)?.exports ?? [];
}

function nameIn(files: readonly string[], file: string, name: string): string {
  return `${name}_${files.indexOf(file)}`;
}
