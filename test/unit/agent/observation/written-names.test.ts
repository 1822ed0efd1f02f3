import { expect, test } from 'vitest';
import { CALL_AS_TEXT } from '../../../../agent/observation/observations.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { decide } from '../../../../agent/reply/decide.ts';
import { sampleManifest, sampleTool } from '../../../support/manifest.ts';

function decided(text: string) {
  return decide(zeroShot, sampleManifest(), { text, toolCalls: [], finishReason: 'stop' }).decision;
}

test.each(['`Search`', '"Search"', '**Search**', 'Search()'])(
  'an action means the tool whose name has marks around it: %s',
  (written) => {
    const actions = [{ tool: 'Search', toolInput: 'x' }];
    expect(decided(`Action: ${written}\nAction Input: x`)).toMatchObject({ type: 'act', actions });
  },
);

test.each(['Move', '`Move`', 'functions.Move'])(
  'a tool of several fields gets them whatever is around its name: %s',
  (written) => {
    const inputSchema = { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } } };
    const manifest = sampleManifest({ tools: [sampleTool('Move', 'Moves.', { inputSchema })] });
    const text = `Action: ${written}\nAction Input: {"from": "a", "to": "b"}`;
    const { decision } = decide(zeroShot, manifest, { text, toolCalls: [], finishReason: 'stop' });
    expect(decision).toMatchObject({ actions: [{ tool: 'Move', toolInput: { from: 'a', to: 'b' } }] });
  },
);

test.each([
  '<tool_call>\n{"name": "Search", "arguments": {"input": "x"}}\n</tool_call>',
  'I look it up.\n[TOOL_CALLS][{"name": "Search", "arguments": {}}]',
])('a reply with the call of a tool as its answer is asked again: %j', (answer) => {
  expect(decided(`Final Answer: ${answer}`)).toMatchObject({
    type: 'act',
    actions: [{ tool: '_Exception', observation: CALL_AS_TEXT }],
  });
});

test.each(['Qwen writes <tool_call> before Search.', '<tool_call> of something that is no tool'])(
  'a reply with words about calls is an answer: %j',
  (answer) => {
    expect(decided(`Final Answer: ${answer}`)).toEqual({ type: 'finish', output: answer });
  },
);
