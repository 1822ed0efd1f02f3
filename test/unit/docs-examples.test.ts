import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/cli.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

test.each([
  ['docs/testing.md', 'support.ts', 'examples/testing/support.ts'],
  ['docs/testing.md', 'agent.test.ts', 'examples/testing/agent.test.ts'],
  ['docs/scripts.md', 'run-here.ts', 'examples/run-here.ts'],
])('%s shows %s as it runs', (page, name, file) => {
  expect(read(page)).toContain(`\`\`\`ts\n// ${name}\n${read(file)}\`\`\`\n`);
});
