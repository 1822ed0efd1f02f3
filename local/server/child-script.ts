import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Arguments with which `node` runs a script below this folder, from TypeScript source as from dist/. */
export function scriptArgs(name: string): string[] {
  const extension = extname(import.meta.url);
  const script = fileURLToPath(new URL(`./${name}${extension}`, import.meta.url));
  return extension === '.js' ? [script] : ['--import', import.meta.resolve('tsx'), script];
}
