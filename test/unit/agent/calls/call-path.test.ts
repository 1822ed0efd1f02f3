import { expect, test } from 'vitest';
import { callPath, workflowOfCall } from '../../../../agent/calls/call-path.ts';

test.each<[string, string[], string]>([
  ['3.1', ['3.1'], 'desk'],
  ['1.1/2.1', ['1.1', '2.1'], 'desk/1.1'],
  ['1.1~2/10.12/3.1', ['1.1~2', '10.12', '3.1'], 'desk/1.1~2/10.12'],
  ['1/3.1', ['1/3.1'], 'desk'],
  ['1/3.1/2.1', ['1/3.1', '2.1'], 'desk/1/3.1'],
  ['', [], 'desk'],
])('the path %j leads through the calls %j, the last one made in the workflow %s', (call, path, workflow) => {
  expect(callPath(call)).toEqual(path);
  expect(workflowOfCall('desk', call)).toBe(workflow);
});
