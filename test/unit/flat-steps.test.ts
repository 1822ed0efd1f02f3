import { expect, test } from 'vitest';
import { builtInKinds } from '../../agent/kinds/kinds.ts';
import { type Entry, conversation } from '../../agent/transcript/entries.ts';
import { EMPTY, extendTranscript, transcriptAt } from '../../agent/transcript/state.ts';
import type { Json } from '../../agent/vocabulary.ts';
import { sampleManifest } from '../support/manifest.ts';

/** What a model call does must not grow with the steps before it, but for writing and sending the request. */

test.each(builtInKinds.map((kind) => [kind.name, kind] as const))(
  'an observation that is no text is written once for all requests of the kind %s',
  (_name, kind) => {
    let written = 0;
    const observation = { toJSON: () => ++written } as unknown as Json; // tells how often it becomes JSON
    const manifest = sampleManifest({ kind: kind.name, prompt: { ...kind.prompt } });
    const entries: Entry[] = [
      { type: 'agent', manifest },
      { type: 'question', input: 'What?', chatHistory: [] },
      { type: 'reply', call: '1', text: '', toolCalls: [{ id: 'a', name: 'Search', arguments: '{}' }] },
      { ...step(1, observation), toolCallId: 'a' },
    ];
    for (let request = 0; request < 3; request++) kind.render(conversation(entries));
    expect(written).toBe(1);
  },
);

test('the size of a transcript is that of the steps that are left', async () => {
  const begin: Entry[] = [
    { type: 'agent', manifest: sampleManifest({ trimIntermediateSteps: 2 }) },
    { type: 'question', input: 'What?', chatHistory: [] },
  ];
  const run = { workflowId: 'w', runId: 'r' };
  const find = () => Promise.reject(new Error('nothing is referred to'));
  let transcript = await extendTranscript(EMPTY, begin, find, run);
  for (let n = 1; n <= 10; n++) {
    const delta: Entry[] = [
      { type: 'reply', call: String(n), text: 'ä'.repeat(n), toolCalls: [] },
      step(n, 'ö'.repeat(100 * n)),
    ];
    transcript = await extendTranscript(transcript, delta, find, run);
    expect(transcript.bytes).toBe(transcriptAt(transcript.mark, transcript.entries).bytes);
  }
  expect(transcript.entries).toHaveLength(6);
});

function step(n: number, observation: Json): Extract<Entry, { type: 'step' }> {
  return {
    type: 'step',
    call: `${n}.1`,
    action: { tool: 'Search', toolInput: 'x', log: 'looks' },
    observation,
  };
}
