import { expect, test } from 'vitest';
import { nameInstance } from '../../../../cli/shell/instance-id.ts';

const named = (given?: string) => {
  const env: NodeJS.ProcessEnv = given === undefined ? {} : { OTEL_RESOURCE_ATTRIBUTES: given };
  nameInstance(env);
  return env['OTEL_RESOURCE_ATTRIBUTES'];
};

test('each process has an instance id of its own', () => {
  expect(named()).toMatch(/^service\.instance\.id=[\da-f-]{36}$/u);
  expect(named()).not.toBe(named());
});

test('other attributes stay, and so does an instance id that is set', () => {
  expect(named('a=b')).toMatch(/^a=b,service\.instance\.id=/u);
  expect(named('a=b, service.instance.id=w1')).toBe('a=b, service.instance.id=w1');
});
