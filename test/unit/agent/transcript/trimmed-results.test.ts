import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../../agent/transcript/entries.ts';
import { EMPTY, extendTranscript } from '../../../../agent/transcript/state.ts';
import { visible } from '../../../../agent/transcript/visible.ts';
import { sampleManifest } from '../../../support/manifest.ts';

/** Results of background calls in a transcript that is trimmed: `t` is a ticket, `L` its result, `1` to `9` are turns with a step. */
const late: Entry = { type: 'late', call: '1.1', tool: 'bake', observation: 'ready' };

function step(call: string, ticket?: true): Entry {
  const action = { tool: 'bake', toolInput: 'x', log: '' };
  return { type: 'step', call, action, observation: '', ...(ticket && { ticket }) };
}

function turn(sign: string): Entry[] {
  if (sign === 'L') return [late];
  const [call, ticket] = sign === 't' ? ['0', true as const] : [sign, undefined];
  return [{ type: 'reply', call, text: '', toolCalls: [] }, step(`${call}.1`, ticket)];
}

function signsOf(entries: readonly Entry[]): string {
  const signs = entries.map((entry) => {
    if (entry.type === 'late') return 'L';
    if (entry.type !== 'step') return '';
    return entry.ticket === true ? 't' : entry.call.slice(0, 1);
  });
  return signs.join('');
}

const shown = (signs: string, trim: number) =>
  signsOf(visible(signs.split('').flatMap(turn), trim, (entry) => entry));

describe('the result of a background call', () => {
  test.each([
    ['stays where nothing is trimmed', 't12L3456', -1, 't12L3456'],
    ['is shown to the model when its ticket is not any more', 't12345L', 2, '45L'],
    ['stays as long as a step at its place', 't12L34', 3, '2L34'],
    ['goes with the steps before it', 't12L345', 3, '345'],
    ['stays until the model has seen it, also where a restart keeps the next turn', 't12L3', 1, 'L3'],
    ['goes then', 't12L34', 1, '4'],
  ])('%s', (_what, signs, trim, left) => {
    expect(shown(signs, trim)).toBe(left);
  });

  test.each([1, 2, 3])(
    'is the same for a reader of all entries and one that trims at each turn (%i)',
    async (trim) => {
      const begin: Entry[] = [
        { type: 'agent', manifest: sampleManifest({ trimIntermediateSteps: trim }) },
        { type: 'question', input: 'What?', chatHistory: [] },
      ];
      const run = { workflowId: 'w', runId: 'r' };
      const find = () => Promise.reject(new Error('nothing is referred to'));
      let transcript = await extendTranscript(EMPTY, begin, find, run);
      const signs = 't1L2L3456L789';
      for (const [index, sign] of signs.split('').entries()) {
        transcript = await extendTranscript(transcript, turn(sign), find, run);
        expect(signsOf(transcript.entries)).toBe(shown(signs.slice(0, index + 1), trim));
      }
    },
  );
});
