import { expect, test } from 'vitest';
import { z } from 'zod/v4';
import { type ConfigDefinition, defineAgent } from '../../../../config/define.ts';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { isSame } from '../../../../local/embedded/program-config.ts';
import { brokenTool } from '../../../support/sample-tools.ts';

const agent = defineAgent({ name: 'a', model: 'm' });
const shared: ConfigDefinition = { agents: [agent], tools: [brokenTool()] };
const programOf = (definition: ConfigDefinition | undefined) => ({
  definition,
  loaded: createLoadedConfig(shared),
});

/** A value of each option, as a program writes it. */
const changes: Omit<Required<ConfigDefinition>, 'deployment' | 'schedules' | 'evals'> = {
  agents: [defineAgent({ name: 'a', model: 'm' })],
  tools: [brokenTool()],
  models: {},
  prices: {},
  limits: {},
  budgets: [],
  breaker: true,
  cache: true,
  onEvent: () => undefined,
  heartbeats: 'frugal',
  concurrency: 3,
  context: z.object({}),
  authorize: () => true,
  hooks: {},
  telemetry: true,
  logger: console,
  encryption: { keys: [] },
  storage: { folder: 'payloads' },
  live: { url: 'redis://127.0.0.1' },
  taskQueue: 'q',
  queues: {},
  webhooks: [],
};

test('programs with the same parts share a worker', () => {
  expect(isSame(programOf({ ...shared }), programOf({ ...shared }))).toBe(true);
  expect(isSame(programOf(undefined), programOf(undefined))).toBe(true);
  expect(isSame(programOf(undefined), programOf(shared))).toBe(false);
});

test.each(Object.entries(changes))('programs that differ in %s have different workers', (name, value) => {
  expect(isSame(programOf(shared), programOf({ ...shared, [name]: value }))).toBe(false);
});
