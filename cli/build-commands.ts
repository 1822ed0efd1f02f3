import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, build } from 'esbuild';
import { type Messages, neededMessages } from './build-messages.ts';
import { PLAIN } from './shell/display.ts';
import { licenceOf } from '../adapters/tools/build-licence.ts';

/**
 * Part of `npm run build`: the command and all that reads and steers runs become one file, Temporal's client among them. A command has some
 * 700 modules, and Node takes half a millisecond for each; docs/performance.md has the numbers. What loads a config or starts a worker stays
 * as it is, since a config has to find the modules that its own `reloop` has.
 */
const dist = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(dist, 'cli/bundle');

/** Loaded late, and part of the bundle. All others that are loaded late are loaded from where they are. */
const BUNDLED = [
  'cli/cli.js',
  ...[
    'agents',
    'bulk',
    'completion',
    'decide',
    'export',
    'list',
    'report',
    'restart',
    'session',
    'show',
    'steer',
    'tools',
    'watch',
  ].map((command) => `cli/commands/${command}.js`),
  'cli/completion/complete.js',
  'cli/completion/look-up.js',
  'client/api/agent-client.js',
  'client/connect/connect.js',
  'local/server/server.js',
  'local/server/state-folder.js',
];

/** Part of no command: kept out, since they are large. */
const OUTSIDE = /^(?:@grpc\/proto-loader|protobufjs\/ext\/descriptor.*)$/;

const WIDTH = 'width-of-plain-text';

/** Most texts are plain; for others `string-width` needs 30 ms until its expressions are ready. */
const PLAIN_WIDTH = `const other = (text) => require('string-width').default(text);
  export default (text) => (${PLAIN}.test(text) ? text.length : other(text));`;

/** An import of a module that is loaded when it is needed. */
const LATE = /\bimport\(['"](?<name>[^'"]+)['"]\)/gu;

const modules: Plugin = {
  name: 'modules',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: OUTSIDE }, () => ({ external: true }));
    onResolve({ filter: /^string-width$/ }, ({ namespace }) =>
      namespace === WIDTH ? undefined : { path: WIDTH, namespace: WIDTH },
    );
    onLoad({ filter: /./, namespace: WIDTH }, () => ({ contents: PLAIN_WIDTH, resolveDir: dist }));
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      // A module finds the files beside it from where it was.
      const place = `new URL(${JSON.stringify(fromBundle(path))}, HERE).href`;
      const code = readFileSync(path, 'utf8').replaceAll('import.meta.url', place);
      return {
        contents: code.replaceAll(LATE, (whole, name: string) => loadedLate(path, name) ?? whole),
        loader: 'js',
      };
    });
    onLoad({ filter: /protos\/json-module\.js$/ }, () => ({
      contents: `const { Root } = require('protobufjs/light');
        const json = require('node:fs').readFileSync(require('node:path').join(__filename, '../messages.json'), 'utf8');
        module.exports = new Root().addJSON(JSON.parse(json).nested);`,
      loader: 'js',
    }));
  },
};

rmSync(outdir, { recursive: true, force: true });
const { metafile, outputFiles } = await build({
  entryPoints: [join(dist, 'cli/cli.js')],
  outfile: join(outdir, 'cli.cjs'),
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
  // Code that only runs from the sources.
  logOverride: { 'empty-import-meta': 'silent' },
  banner: { js: "const HERE = require('node:url').pathToFileURL(__filename);" },
  plugins: [modules],
});
const [bundle] = outputFiles;
const inputs = Object.keys(metafile.inputs).filter((name) => !name.startsWith(WIDTH));
const packages = new Set(inputs.flatMap((file) => packageFolder(file) ?? []));
const digest = createHash('sha256')
  .update(bundle?.contents ?? '')
  .digest('hex')
  .slice(0, 16);
mkdirSync(outdir);
writeFileSync(join(outdir, 'cli.cjs'), bundle?.contents ?? '');
writeFileSync(join(outdir, 'messages.json'), JSON.stringify(neededMessages(temporalMessages(), inputs)));
writeFileSync(join(outdir, 'LICENSES.txt'), [...packages].toSorted().map(licenceOf).join('\n'));
writeFileSync(
  join(dist, 'cli/cli.js'),
  `import { loadBundle } from './load-bundle.js';\nexport const cli = loadBundle('${digest}');\n`,
);

/** Temporal's messages, without those of its workers and of Temporal Cloud. */
function temporalMessages(): Messages {
  const root = createRequire(import.meta.url)('@temporalio/proto/protos/json-module.js') as {
    toJSON(): Messages;
  };
  const { coresdk: _, ...nested } = root.toJSON().nested ?? {};
  delete nested['temporal']?.nested?.['api']?.nested?.['cloud'];
  return { nested };
}

/** The call that loads a module from where it is; undefined: it is part of the bundle. */
function loadedLate(importer: string, name: string): string | undefined {
  const file = join(dirname(importer), name);
  if (BUNDLED.includes(relative(dist, file))) return undefined;
  return `LOAD(${JSON.stringify(name.startsWith('.') ? fromBundle(file) : name)})`;
}

/** Path of a file of dist, as a module of the bundle names it. */
function fromBundle(file: string): string {
  return `../../${relative(dist, file)}`;
}

/** The folder of the package that a file is of; undefined: a file of ours. */
function packageFolder(file: string): string | undefined {
  return /^(?<folder>.*\/?node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(file)?.groups?.['folder'];
}
