import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { isSeq, parseAllDocuments } from 'yaml';
import { servingCommands } from '../../../cli/declare/serving-commands.ts';

const [, text = ''] = /```yaml\n(.*?)```/su.exec(readFileSync('docs/kubernetes.md', 'utf8')) ?? [];
const manifests = parseAllDocuments(text);

test('the manifests of the page can be read, and select the pods of the deployment', () => {
  expect(manifests.flatMap(({ errors }) => errors)).toEqual([]);
  const [deployment, budget, scaled] = manifests.map((one) => one.toJS() as object);
  const labels = { app: 'reloop-worker' };
  expect(deployment).toMatchObject({
    kind: 'Deployment',
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
  });
  expect(budget).toMatchObject({ kind: 'PodDisruptionBudget', spec: { selector: { matchLabels: labels } } });
  expect(scaled).toMatchObject({ kind: 'ScaledObject', spec: { scaleTargetRef: { name: 'reloop-worker' } } });
});

test('the worker takes the options of the deployment', () => {
  const path = ['spec', 'template', 'spec', 'containers', 0, 'command'];
  const [, , ...args] = parsedCommand(manifests[0]?.getIn(path));
  const worker = servingCommands.find((one) => one.usage === 'worker');
  if (worker === undefined || !('options' in worker)) throw new Error('There is no command worker.');
  const command = new Command('worker').exitOverride();
  worker.options?.(command);
  expect(command.parse(args, { from: 'user' }).opts()).toEqual({ healthPort: 8080, healthHost: '0.0.0.0' });
});

/** The texts of a list. */
function parsedCommand(node: unknown): string[] {
  if (!isSeq(node)) throw new Error('The container has no command.');
  return node.toJSON() as string[]; // looked at in the page
}
