import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from '../support/cli.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The manifests of the page on Kubernetes, beside the schemas of Kubernetes and KEDA, as packages of npm have them. */
const PACKAGES = ['kubernetes-models@5.1.0', '@kubernetes-models/keda@2.0.0'];
const KINDS: { [kind: string]: string } = {
  Deployment: 'kubernetes-models/apps/v1',
  PodDisruptionBudget: 'kubernetes-models/policy/v1',
  ScaledObject: '@kubernetes-models/keda/keda.sh/v1alpha1',
};

const page = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
const blocks = [...page.matchAll(/```yaml\n(.*?)```/gsu)].map(([, text = '']) => text);
const manifests = blocks.flatMap((text) =>
  parseAllDocuments(text).map((one) => one.toJS() as { kind: string }),
);
const folder = tempFolder();

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES], {
    cwd: folder,
    stdio: 'ignore',
  });
});

/** Problems of a manifest: values that the schema refuses, and fields that its types do not have. '' if there are none. */
function problemsOf(manifest: { kind: string }): string {
  const from = `from '${KINDS[manifest.kind] ?? ''}'`;
  const json = JSON.stringify(manifest);
  writeFileSync(
    join(folder, 'typed.ts'),
    `import type { I${manifest.kind} } ${from};\nexport const manifest: I${manifest.kind} = ${json};\n`,
  );
  writeFileSync(
    join(folder, 'checked.js'),
    `import { ${manifest.kind} } ${from};\nnew ${manifest.kind}(${json}).validate();\n`,
  );
  const flags = ['--noEmit', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
  return (
    outputOf([join(root, 'node_modules/typescript/bin/tsc'), ...flags, 'typed.ts']) + outputOf(['checked.js'])
  );
}

function outputOf(args: string[]): string {
  try {
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }; // of a program that has failed
    return stdout + stderr;
  }
}

test('the page has a worker, a budget, a scaler, and the scaler of a version', () => {
  expect(manifests.map(({ kind }) => kind)).toEqual([...Object.keys(KINDS), 'ScaledObject']);
});

test.each(manifests)('$kind fits its schema', (manifest) => {
  expect(problemsOf(manifest)).toBe('');
});

test('a wrong value and an unknown field are found', () => {
  const [deployment] = manifests;
  const wrong = JSON.parse(
    JSON.stringify(deployment)
      .replace('"replicas":2', '"replicas":"two"')
      .replace('livenessProbe', 'livenesProbe'),
  ) as { kind: string };
  const problems = problemsOf(wrong);
  expect(problems).toContain('spec/replicas must be integer');
  expect(problems).toContain('livenesProbe');
});
