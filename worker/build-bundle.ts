import { chmod, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, workflowsPath } from './workflow-bundle.ts';

/** Part of `npm run build`: the workflow bundle, so that a worker starts without webpack, and the command's bit. */
const { code } = await bundle(workflowsPath, asInstalled);
await writeFile(fileURLToPath(new URL('../workflows/bundle.js', import.meta.url)), code);
await chmod(fileURLToPath(new URL('../cli/main.js', import.meta.url)), 0o755);

/** `reloop/dist/workflows/loop.js`: stack traces in a user's Web UI must not name the machine that built this. */
function asInstalled(path: string): string {
  const [installed, ...rest] = path.split('/node_modules/').toReversed();
  const inPackage = relative(fileURLToPath(new URL('../../', import.meta.url)), path);
  return rest.length > 0 && installed !== undefined ? installed : `reloop/${inPackage}`;
}
