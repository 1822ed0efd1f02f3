import { describe, expect, test } from 'vitest';
import type { RunStatus } from '../../agent/vocabulary.ts';
import { UsageError, exitCodeOf, failureOf } from '../../cli/exit-codes.ts';
import { DecisionRefused, InvalidInput, RunNotFound, TemporalUnreachable } from '../../client/errors.ts';
import { ConfigError } from '../../config/define.ts';

describe('the exit code', () => {
  test.each<[RunStatus, number]>([
    ['completed', 0],
    ['failed', 1],
    ['stopped', 3],
    ['waiting', 4],
    ['paused', 4],
    ['cancelled', 130],
  ])('of a run that is %s is %i', (status, code) => {
    expect(exitCodeOf({ status })).toBe(code);
  });

  test.each([
    ['a wrong command line', new UsageError('x'), 2],
    ['a broken config', new ConfigError('x'), 2],
    ['a question that cannot be', new InvalidInput('x'), 2],
    ['a run that is not there', new RunNotFound('x'), 2],
    ['a decision that does not fit', new DecisionRefused('x'), 2],
    ['no server', new TemporalUnreachable('x'), 5],
    ['a server that went away', grpcError(14, 'gone'), 5],
    ['a server that went away, behind another error', new Error('x', { cause: grpcError(14, 'gone') }), 5],
    ['anything else of the server', grpcError(13, 'internal'), 1],
    ['anything else', new TypeError('x'), 1],
    ['something that is no error', 'x', 1],
  ])('tells apart what went wrong: %s', (_title, error, code) => {
    expect(failureOf(error).code).toBe(code);
  });

  test('a message of several lines is printed as one', () => {
    expect(failureOf(new UsageError('first\n  second')).line).toBe('error: first second');
  });

  test('what the server said is not lost behind what the client makes of it', () => {
    const error = new Error('Failed to start Workflow', { cause: grpcError(3, 'blob too large') });
    expect(failureOf(error).line).toBe('error: Failed to start Workflow: blob too large');
  });
});

function grpcError(code: number, details: string): Error {
  return Object.assign(new Error(`${code}: ${details}`), { code, details });
}
