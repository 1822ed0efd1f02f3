import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { type StartFieldName, startFieldList } from '../../../../agent/start/start-fields.ts';
import { readBatchStart } from '../../../../agent/start/batch-start.ts';
import { readRunStart } from '../../../../agent/start/run-start.ts';
import { checkSchedule } from '../../../../features/schedules/rules/check-schedule.ts';
import { overridesIn, withOverrides } from '../../../../cli/options/override-options.ts';
import { bodyFields, permissions } from '../../../../gateway/access/field-table.ts';
import { startSchema } from '../../../../gateway/start/field-schema.ts';
import { offlineContext } from '../../../support/offline-context.ts';

/** A start is checked by one list of fields, wherever it comes from. */

const examples: {
  readonly [F in StartFieldName]: { given: unknown; wrong: unknown; typed?: string[] };
} = {
  chatHistory: { given: [{ role: 'user', content: 'hello' }], wrong: [{ role: 'nobody' }] },
  variables: { given: { city: 'Oslo' }, wrong: { city: 1 } },
  traceparent: { given: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', wrong: '00' },
  by: { given: 'ann', wrong: '' },
  model: { given: 'small', wrong: 3, typed: ['--model', 'small'] },
  maxIterations: { given: null, wrong: 'five', typed: ['--max-iterations', 'none'] },
  maxExecutionTime: { given: 30_000, wrong: '30s', typed: ['--max-time', '30s'] },
  budget: {
    given: { totalTokens: 5, cost: null },
    wrong: { totalTokens: 'five' },
    typed: ['--budget-tokens', '5', '--budget-cost', 'none'],
  },
  context: { given: { user: '42' }, wrong: 'user', typed: ['--context', '{"user":"42"}'] },
  tags: { given: ['a', 'b'], wrong: ['a', 1], typed: ['--tag', 'a', '--tag', 'b'] },
  tenant: { given: 'acme', wrong: 3, typed: ['--tenant', 'acme'] },
  priority: { given: 1, wrong: '1', typed: ['--priority', '1'] },
  clientTools: { given: [{ name: 'pick', description: 'A colour' }], wrong: [{ title: 'pick' }] },
};

const rows = startFieldList.map(({ name, may, flags }) => ({ name, may, flags, ...examples[name] }));
const start = { agent: 'helper', input: 'what?' };
const { client } = offlineContext();

describe.each(rows)('the field $name of a start', ({ name, given, wrong, may, flags, typed }) => {
  test('is read in a start by hand, in a batch and in a schedule', () => {
    const read = readRunStart({ ...start, [name]: given }, []);
    expect(readBatchStart({ agent: 'helper', inputs: ['what?'], [name]: given }).starts).toEqual([read]);
    const schedule = checkSchedule('daily', {
      ...start,
      [name]: given,
      spec: { intervals: [{ every: '1d' }] },
    });
    expect(schedule.starts).toEqual([read]);
    expect(JSON.stringify(read)).toContain(JSON.stringify(given));
  });

  test('is refused by them, and by the client, where it is wrong', async () => {
    const sent = { ...start, [name]: wrong };
    const refused = { name: 'InvalidInput', message: expect.stringContaining(name) as string };
    expect(() => readRunStart(sent, [])).toThrow(expect.objectContaining(refused) as Error);
    if (name === 'traceparent' || name === 'by') return; // the client sets them itself
    await expect(client.start('helper', 'what?', { [name]: wrong })).rejects.toMatchObject(refused);
  });

  test('is taken from a caller of the gateway who has its permission', () => {
    expect(startSchema.strict().safeParse({ [name]: given }).success).toBe(may !== undefined);
    expect(Object.hasOwn(bodyFields, name)).toBe(may !== undefined);
    expect(may === undefined || permissions.some((one) => one === may)).toBe(true);
    expect(startSchema.strict().safeParse({ [name]: wrong }).success).toBe(false);
  });

  test('is the value of its options', () => {
    expect(typed === undefined).toBe(flags === undefined);
    const command = withOverrides(new Command()).parse(typed ?? [], { from: 'user' });
    expect(overridesIn(command.opts())).toEqual(typed === undefined ? {} : { [name]: given });
  });
});

test('a model may be called none', () => {
  const command = withOverrides(new Command()).parse(['--model', 'none'], { from: 'user' });
  expect(overridesIn(command.opts())).toEqual({ model: 'none' });
});
