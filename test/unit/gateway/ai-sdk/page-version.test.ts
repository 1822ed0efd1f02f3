import { expect, test } from 'vitest';
import { knowsNewerChunks } from '../../../../gateway/ai-sdk/read-ui-request.ts';

test.each([
  [undefined, false],
  ['6.0.326', false],
  ['7.0.162', false],
  ['7.0.163', true],
  ['7.0.1000', true],
  ['7.1.0', true],
  ['8.0.0-beta.1', true],
])('a page with version %s of the AI SDK has newer chunks: %s', (version, knows) => {
  expect(knowsNewerChunks(new Headers(version === undefined ? {} : { 'X-AI-SDK': version }))).toBe(knows);
});

test.each(['7', 'v7.0.163', '', 'latest'])('%j is refused', (version) => {
  expect(() => knowsNewerChunks(new Headers({ 'X-AI-SDK': version }))).toThrow('such as 7.0.163');
});
