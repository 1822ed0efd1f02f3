import { describe, expect, test } from 'vitest';
import { dollarLimit, flagsToRepeat, milliseconds, variable, wholeLimit } from '../../cli/options.ts';

describe('options', () => {
  test.each([
    ['250', 250],
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5s', 1500],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ])('%s is %i ms', (text, ms) => {
    expect(milliseconds(text)).toBe(ms);
  });

  test.each(['', 's', '-1s', '1 week', '1s30'])('"%s" is no duration', (text) => {
    expect(() => milliseconds(text)).toThrow('30s');
  });

  test.each([
    ['none', 'none'],
    ['0', 0],
    ['15', 15],
  ])('%s as a whole limit is %s', (text, limit) => {
    expect(wholeLimit(text)).toBe(limit);
  });

  test.each([
    ['none', 'none'],
    ['0', 0],
    ['2', 2],
    ['0.50', 0.5],
  ])('%s as an amount of US dollars is %s', (text, amount) => {
    expect(dollarLimit(text)).toBe(amount);
  });

  test.each(['', '$1', '-1', '1,50', '1e3', '.5', 'Infinity'])('"%s" is no amount of US dollars', (text) => {
    expect(() => dollarLimit(text)).toThrow('0.50');
  });

  test.each([
    ['a=1', { a: '1' }],
    ['a=', { a: '' }],
    ['name=x = y\nz', { name: 'x = y\nz' }],
  ])('%j is a variable', (text, values) => {
    expect(variable(text)).toEqual(values);
    expect(variable(text, { b: '2' })).toEqual({ b: '2', ...values });
  });

  test.each(['', 'a', '=1', 'a b=1'])('"%s" is no variable', (text) => {
    expect(() => variable(text)).toThrow('name=value');
  });

  test('commands to type name the server and the config that were named', () => {
    const options = { address: 'host:1', config: 'my config.ts', json: true };
    expect(flagsToRepeat(options)).toEqual(['--address', 'host:1', '--config', "'my config.ts'"]);
  });
});
