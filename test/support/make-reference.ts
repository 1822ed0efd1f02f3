/** `npm run docs:reference`: writes docs/reference from the types of `dist`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './cli.ts';
import { referencePagesNow } from './reference.ts';

const folder = join(root, 'docs/reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of referencePagesNow()) writeFileSync(join(folder, name), text);
