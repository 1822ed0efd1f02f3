/** `npm run docs:reference`: writes docs/reference from the types of `dist`, and the tables of SECURITY.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withAccessTables } from './access-tables.ts';
import { root } from './cli.ts';
import { referencePagesNow } from './reference.ts';

const folder = join(root, 'docs/reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of referencePagesNow()) writeFileSync(join(folder, name), text);

const security = join(root, 'SECURITY.md');
writeFileSync(security, withAccessTables(readFileSync(security, 'utf8')));
