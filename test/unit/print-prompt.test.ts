import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import type { ModelPrompt } from '../../agent/kinds/kind.ts';
import { requestLines } from '../../cli/print/prompt.ts';
import { modelRequest } from '../support/model-calls.ts';

const tools = [
  { name: 'echo', description: 'Says it again.', parameters: { type: 'object' } },
  { name: 'now', description: 'The time.', parameters: { type: 'object' } },
];
const messages = [{ role: 'user' as const, content: 'Hi {there}' }];

describe('a request as it is printed', () => {
  test('shows a text prompt to the letter, then stop strings and parameters', () => {
    expect(printed({ type: 'text', text: 'Say\nhello.' })).toEqual([
      '--- step 3: prompt for test-model',
      'Say\nhello.',
      '--- step 3: stop',
      '[]',
      '--- step 3: parameters',
      '{"api":"chat","stream":false,"requestTimeoutMs":10000}',
    ]);
  });

  test('shows messages, and the tools that may be called', () => {
    expect(printed({ type: 'messages', messages, tools }).slice(0, -4)).toEqual([
      '--- step 3: messages for test-model',
      '{"role":"user","content":"Hi {there}"}',
      '--- step 3: tools',
      '{"name":"echo","description":"Says it again.","parameters":{"type":"object"}}',
      '{"name":"now","description":"The time.","parameters":{"type":"object"}}',
    ]);
  });

  test('says when the tools may not be called any more', () => {
    expect(printed({ type: 'messages', messages, tools, toolChoice: 'none' })).toContain(
      '--- step 3: tools (tool choice: none)',
    );
  });
});

function printed(prompt: ModelPrompt): string[] {
  return requestLines('3', modelRequest({}, { prompt }), {
    colors: pc.createColors(false),
    words: (text) => text,
  });
}
