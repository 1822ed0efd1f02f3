import { chmod, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundle } from './workflow-bundle.ts';

/** Last step of `npm run build`: the workflow bundle, so that a worker starts without webpack, and the command's bit. */
const { code } = await bundle();
await writeFile(fileURLToPath(new URL('../workflows/bundle.js', import.meta.url)), code);
await chmod(fileURLToPath(new URL('../cli/main.js', import.meta.url)), 0o755);
