import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type RunAtWork, commandIn, runCommand } from '../../../../cli/chat/chat-commands.ts';
import { openChatHistory } from '../../../../cli/chat/chat-terminal.ts';
import { answerIn, stepLine } from '../../../../cli/chat/chat-trace.ts';
import type { Chat } from '../../../../cli/chat/chat.ts';
import { colorsFor } from '../../../../cli/shell/display.ts';
import type { AgentRun } from '../../../../client/api/agent-run.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

/** As much of a chat as commands need that ask no server. */
function fakeChat() {
  const lines: string[] = [];
  const terminal = {
    colors: colorsFor({}, { NO_COLOR: '1' }),
    write: (more: string[]) => void lines.push(...more),
  } as Chat['terminal'];
  const chat = { terminal, agent: 'a', session: 's', options: {}, begun: false, detached: new Set() } as Chat;
  return { chat, lines };
}

function fakeRun() {
  const sent: string[] = [];
  const atWork: RunAtWork = { run: { id: 'r' } as AgentRun, send: (_, words) => void sent.push(words) };
  return { atWork, sent };
}

async function typed(text: string, atWork?: RunAtWork) {
  const { chat, lines } = fakeChat();
  const command = commandIn(text);
  if (command === undefined) throw new Error(`${text} is not a command`);
  const outcome = await runCommand(chat, command, atWork);
  return { outcome, lines, detached: [...chat.detached] };
}

describe('a command of a chat', () => {
  test('/help lists the commands at the prompt, then those for a run at work', async () => {
    const { lines } = await typed('/help');
    expect(lines.map((line) => line.trimEnd()).join('\n')).toMatchInlineSnapshot(`
      "  /show             the last turn with every step in full (also /steps)
        /retry            go back to where the last turn failed
        /agent NAME       continue with another agent; without NAME: list the agents
        /session NAME     continue another conversation; without NAME: show the name of this one
        /clear            forget what was said in this conversation
        /exit             end the chat (also Ctrl-D)
      While the agent is at work:
        /say TEXT         send the agent a message; it sees it at its next step
        /cancel           end the run (Ctrl-C asks)
        /pause, /resume   start nothing new, and continue
      A \\ at the end of a line continues it on the next one. Up and down bring back earlier lines."
    `);
  });

  test.each([
    [
      '/shw',
      'There is no /shw. /help lists the commands. Type a space before a question that starts with /.',
    ],
    ['/pause', '/pause is for a running run, and no run is.'],
    ['/show', 'Nothing was asked yet.'],
    ['/session', 'Session s, agent a, nothing said in it yet.'],
  ])('%s at the prompt says: %s', async (text, line) => {
    const { lines } = await typed(text);
    expect(lines[0]).toBe(`  ${line}`);
  });

  test.each(['/retry', '/agent', '/agent b', '/session t', '/clear'])(
    '%s has to wait while a run is followed',
    async (text) => {
      const { lines } = await typed(text, fakeRun().atWork);
      const [word] = text.split(' ');
      expect(lines).toEqual([`  ${word} has to wait until this run is over; /cancel ends it.`]);
    },
  );

  test.each([
    ['/say hurry', 'The agent sees it at its next step.'],
    ['/cancel', 'Cancelling the run …'],
    ['/pause', 'Paused: /resume continues.'],
    ['/resume', 'It continues.'],
  ])('%s goes to the run that is followed', async (text, words) => {
    const { atWork, sent } = fakeRun();
    await typed(text, atWork);
    expect(sent).toEqual([words]);
  });

  test.each(['/exit', '/quit'])('%s ends the chat, and detaches the run that is followed', async (text) => {
    const leave = { type: 'leave', code: 0 };
    expect(await typed(text)).toMatchObject({ outcome: leave, detached: [] });
    expect(await typed(text, fakeRun().atWork)).toMatchObject({ outcome: leave, detached: ['r'] });
  });

  test.each(['/etc/passwd', ' /show', 'show', '/', '/Show'])('%j is a question', (text) => {
    expect(commandIn(text)).toBeUndefined();
  });
});

const step = {
  call: '1.1',
  action: { tool: 'weather', toolInput: { city: 'Lisbon' }, log: '' },
  observation: '晴れ, '.repeat(40),
  attempts: 2,
  durationMs: 310,
};

test('a step is one line with what it cost, however narrow the terminal and wide the characters', () => {
  expect(stepLine(step, 80)).toMatch(
    /^ {2}1\.1 weather \{"city":"Lisbon"\} → 晴れ, .*… · 310 ms · 2 attempts$/u,
  );
  for (const cells of [20, 33, 44, 80]) expect(stringWidth(stepLine(step, cells))).toBeLessThanOrEqual(cells);
});

test.each([
  ['```json\n{"action": "Final Answer", "action_input": "one\\n\\"two', false, 'one\n"two'],
  ['Hello', true, 'Hello'],
])('the answer so far is shown for %j', (text, plain, answer) => {
  expect(answerIn(text, plain)).toBe(answer);
});

/** Pieces of replies in any order. */
const pieces = ['\n', '\r\n', ' ', '\t', 'Final Answer:', 'AI:', 'Thought:', 'x', '{', '"'];
const reply = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((list) => list.join(''));

test('the answer is what follows the first label that begins a line', () => {
  const property = (text: string) => {
    const lines = text.split('\n');
    const at = lines.findIndex((line) => /^\s*(?:Final Answer|AI):/u.test(line));
    const [label = ''] = /^\s*(?:Final Answer|AI):[ \t]*/u.exec(lines[at] ?? '') ?? [];
    const expected = at === -1 ? undefined : lines.slice(at).join('\n').slice(label.length);
    expect(answerIn(text, false)).toBe(expected);
  };
  fc.assert(fc.property(reply, property), { numRuns: 2_000 });
});

test.each([
  ['a line that a crash cut', '"one"\n"tw\n"three"\n'],
  ['a line that is not JSON', '"one"\n<<<<<<< ours\n"three"\n'],
  ['a line that is not text', '"one"\n{"a":1}\n"three"\n'],
  ['empty lines', '\n"one"\n\n"three"'],
])('the history of a chat leaves out %s, and keeps the rest', (_, text) => {
  const folder = tempFolder(onTestFinished);
  writeFileSync(join(folder, 'chat-history.jsonl'), text);
  expect(openChatHistory(folder).entries).toEqual(['three', 'one']);
});
