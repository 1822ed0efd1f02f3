import { afterEach, describe, expect, test, vi } from 'vitest';
import { ofServer } from '../../../../cli/deploy/deployment.ts';
import { versionOf } from '../../../../config/deployment-option.ts';
import { checkConfig } from '../../../../config/check.ts';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { agent } from '../../../support/config.ts';

afterEach(() => vi.unstubAllEnvs());

function deploymentOf(deployment: unknown, more: object = {}) {
  const config = { agents: [agent()], taskQueue: 'shop', deployment, ...more };
  return createLoadedConfig(checkConfig(config, 'the config')).deployment;
}

describe('the deployment of a config', () => {
  test.each<[given: unknown, variable: string, expected: unknown]>([
    [undefined, '', undefined],
    [undefined, '1.2.0', { name: 'shop', version: '1.2.0' }],
    [{}, '', { name: 'shop', version: undefined }],
    [{ name: 'till', version: '1' }, '', { name: 'till', version: '1' }],
    [{ version: '1' }, '2', { name: 'shop', version: '2' }],
    [{ upgradeOnContinueAsNew: true }, '2', { name: 'shop', version: '2', upgradeOnContinueAsNew: true }],
  ])('%j with RELOOP_VERSION=%s is %j', (given, variable, expected) => {
    vi.stubEnv('RELOOP_VERSION', variable);
    expect(deploymentOf(given)).toEqual(expected);
  });

  const version =
    'is not a version of letters, digits and . _ + - that begins with a letter or digit, or is "none", which means workers without a version';
  const name = 'is not a name of letters, digits, - and _ that begins with a letter or digit';
  test.each<[message: string, given: unknown, more?: object]>([
    [
      'the config: deployment: unknown option versoin (did you mean version?) (known: name, version, upgradeOnContinueAsNew).',
      { versoin: '1' },
    ],
    [`the config: deployment.version: ${version}.`, { version: 'none' }],
    [`the config: deployment.version: ${version}.`, { version: 1 }],
    [`the config: deployment.name: ${name}.`, { name: 'a.b' }],
    [
      `The task queue "reloop:x.ts" cannot be the name of a deployment, because it ${name}. Write deployment: { name: '…' } in the config.`,
      { version: '1' },
      { taskQueue: 'reloop:x.ts' },
    ],
  ])('%s', (message, given, more) => {
    expect(() => deploymentOf(given, more)).toThrow(message);
  });

  test('a wrong RELOOP_VERSION is refused', () => {
    vi.stubEnv('RELOOP_VERSION', 'a b');
    expect(() => deploymentOf(undefined)).toThrow(`RELOOP_VERSION: "a b" ${version}.`);
  });

  test('a worker needs the version', () => {
    expect(versionOf(deploymentOf(undefined))).toBeUndefined();
    expect(versionOf(deploymentOf({ version: '1' }))).toEqual({ name: 'shop', version: '1' });
    expect(() => versionOf(deploymentOf({}))).toThrow('Set RELOOP_VERSION');
  });
});

describe('a call of the server', () => {
  const status = (code: number) => Object.assign(new Error(`${code}`), { code, details: '', metadata: {} });

  test('is repeated where a busy server misses its deadline', async () => {
    const call = vi
      .fn<() => Promise<number>>()
      .mockRejectedValueOnce(status(4))
      .mockRejectedValueOnce(status(4))
      .mockResolvedValue(7);
    expect(await ofServer(call)).toBe(7);
    expect(call).toHaveBeenCalledTimes(3);
  });

  test.each<[code: number, calls: number]>([
    [4, 4],
    [5, 1],
    [7, 1],
  ])('throws status %i after %i attempts', async (code, calls) => {
    const call = vi.fn<() => Promise<number>>().mockRejectedValue(status(code));
    await expect(ofServer(call)).rejects.toMatchObject({ code });
    expect(call).toHaveBeenCalledTimes(calls);
  });
});
