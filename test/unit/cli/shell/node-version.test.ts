import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeProblem } from '../../../../cli/shell/node-version.ts';
import { root } from '../../../support/cli.ts';

describe('the version of Node', () => {
  test.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0', '25.0.0-nightly'])('%s is new enough', (version) => {
    expect(nodeProblem(version)).toBeUndefined();
  });

  test.each(['14.21.3', '18.20.8', '20.0.0', '20.18.3'])('%s is refused in one sentence', (version) => {
    expect(nodeProblem(version)).toMatch(/^error: Reloop needs Node 20\.19 or later, and this is \S+\. /u);
  });

  test('that is needed is the one that package.json names', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(nodeProblem(engines.node.replace('>=', '') + '.0')).toBeUndefined();
    expect(engines.node).toBe('>=20.19');
  });

  test('is looked at before anything is imported that an older one may not have', () => {
    const imports = (file: string) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^import (?!type ).*from '(.+)';$/gmu)].map(
        ([, from]) => from,
      );
    expect(imports('cli/main.ts')).toEqual([
      'node:console',
      'node:module',
      './shell/compiled-folder.ts',
      './shell/instance-id.ts',
      './shell/node-version.ts',
    ]);
    expect(imports('cli/shell/compiled-folder.ts')).toEqual([
      'node:fs',
      'node:path',
      '../../local/server/cache-folder.ts',
    ]);
    expect(imports('local/server/cache-folder.ts')).toEqual(['node:os', 'node:path']);
    expect(imports('cli/shell/instance-id.ts')).toEqual(['node:crypto']);
    expect(imports('cli/shell/node-version.ts')).toEqual([]);
  });
});
