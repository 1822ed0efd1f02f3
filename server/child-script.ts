import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Arguments with which `node` runs a script below this folder, from TypeScript source as from dist/. */
export function scriptArgs(name: string): string[] {
  const extension = extname(import.meta.url);
  const script = fileURLToPath(new URL(`./${name}${extension}`, import.meta.url));
  if (extension === '.js') return [script];
  const tsx = createRequire(import.meta.url).resolve('tsx');
  return ['--import', pathToFileURL(tsx).href, script];
}
