import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, build } from 'esbuild';
import { licenceOf } from '../adapters/tools/build-licence.ts';

/**
 * Part of `npm run build`: the command and all that reads and steers runs become a few files, Temporal's client among them. A command has some
 * 700 modules, and Node takes half a millisecond for each; docs/performance.md has the numbers. What loads a config or starts a worker stays
 * as it is, since a config has to find the modules that its own `reloop` has.
 */
const dist = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(dist, 'cli/bundle');
const require = createRequire(import.meta.url);

/** Loaded late, and part of the bundle. All others that are loaded late are loaded from where they are. */
const BUNDLED = [
  'cli/cli.js',
  ...[
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
const OUTSIDE = /^(?:@grpc\/proto-loader|protobufjs\/ext\/descriptor.*)$/u;

const modules: Plugin = {
  name: 'modules',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind, importer }) => {
      if (OUTSIDE.test(path)) return { external: true };
      if (kind !== 'dynamic-import') return undefined;
      if (!path.startsWith('.')) return { external: true };
      const file = relative(dist, join(dirname(importer), path));
      return BUNDLED.includes(file) ? undefined : { path: fromBundle(file), external: true };
    });
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      // A module finds the files beside it from where it was.
      const place = `new URL(${JSON.stringify(fromBundle(relative(dist, path)))}, import.meta.url).href`;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place), loader: 'js' };
    });
    onLoad({ filter: /protos\/json-module\.js$/ }, ({ path }) => ({
      contents: clientMessages(path),
      loader: 'js',
    }));
  },
};

rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [join(dist, 'cli/cli.js')],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  // CommonJS packages require Node's own modules.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  plugins: [modules],
});
const packages = new Set(Object.keys(metafile.inputs).flatMap((file) => packageFolder(file) ?? []));
writeFileSync(join(dist, 'cli/cli.js'), "export { cli } from './bundle/cli.js';\n");
writeFileSync(join(outdir, 'LICENSES.txt'), [...packages].toSorted().map(licenceOf).join('\n'));

/** Path of a file of dist, as a module of the bundle names it. */
function fromBundle(file: string): string {
  return `../../${file}`;
}

/** The folder of the package that a file is of; undefined: a file of ours. */
function packageFolder(file: string): string | undefined {
  return /^(?<folder>.*\/?node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(file)?.groups?.['folder'];
}

interface Messages {
  nested: { [name: string]: Messages };
}

/** Temporal's messages without those of its workers and of Temporal Cloud, as JSON, which V8 reads faster than code. */
function clientMessages(file: string): string {
  const root = require(file) as { toJSON(): Messages };
  const { coresdk: _, ...nested } = root.toJSON().nested;
  delete nested['temporal']?.nested['api']?.nested['cloud'];
  const json = JSON.stringify(JSON.stringify(nested));
  return `const { Root } = require('protobufjs/light'); module.exports = new Root().addJSON(JSON.parse(${json}));`;
}
