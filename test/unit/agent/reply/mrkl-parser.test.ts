/**
 * The text protocol of the zero-shot agent, case by case. The expected values were recorded by giving each text to the
 * MRKL parser of langchain-classic 1.0.8 (Python 3.11); beside this table, 170,000 random joints of keywords, blanks and
 * quotes were compared and none differed. Two differences are meant: the sentence about a missing action closes its
 * quote, as the newer ReAct parser's does, and the messages carry no link to a troubleshooting page.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { OutputParserError } from '../../../../agent/definition/kind.ts';
import { parseMrkl } from '../../../../agent/reply/mrkl-parser.ts';
import type { RecordedReply } from '../../../support/recorded-replies.ts';

/** `log` is what an answer keeps of the text, where it does not keep all of it. */
type Case = RecordedReply & { what: string; log?: string };
const file = new URL('../../../fixtures/langchain-parsers/mrkl.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[]; // written in this shape

test.each(cases)('a reply is read with $what', ({ text, log = text, ...read }) => {
  const { tool = '', toolInput = '', finish } = read as { [field: string]: string | undefined };
  const act = { type: 'act', actions: [{ tool, toolInput, log }] };
  expect(parseMrkl(text)).toEqual(finish === undefined ? act : { type: 'finish', output: finish, log });
});

const MISSING_ACTION = "Invalid Format: Missing 'Action:' after 'Thought:'";
const MISSING_ACTION_INPUT = "Invalid Format: Missing 'Action Input:' after 'Action:'";
const BOTH = 'Parsing LLM output produced both a final answer and a parse-able action:';
const INVENTED = 'Action: A\nAction Input: 1\nObservation: 2\n\nFinal Answer: 55';

describe('a reply that cannot be read', () => {
  test.each<[what: string, text: string]>([
    ['an answer behind an action', 'Action: A\nAction Input: 1\nFinal Answer: 55'],
    ['an answer behind an action, with an invented observation between', INVENTED],
    ['an answer between an action and its input', 'Action: A\nFinal Answer: 55\nAction Input: 1'],
    ["an answer inside a tool's name", 'Action: Final Answer: 55 Action Input: 1'],
  ])('has both an action and an answer: %s', (_what, text) => {
    const error = errorOf(text);
    expect(error.message).toBe(`${BOTH}: ${text}`);
    expect(error.observation).toBeUndefined();
  });

  test.each<[what: string, text: string, observation: string]>([
    ['nothing', '', MISSING_ACTION],
    ['blanks', ' \n\t', MISSING_ACTION],
    ['a thought alone', 'I do not know what to do.', MISSING_ACTION],
    ['an input alone', 'Action Input: 1', MISSING_ACTION],
    ['keywords in lower case', 'action: A\naction input: 1', MISSING_ACTION],
    ['keywords in capitals', 'ACTION: A\nACTION INPUT: 1', MISSING_ACTION],
    ['a keyword without colon', 'Action A\nAction Input: 1', MISSING_ACTION],
    ['two numbers in the keyword', 'Action 1 2: A\nAction Input: 1', MISSING_ACTION],
    ['a superscript as number', 'Action\xb2: A\nAction Input: 1', MISSING_ACTION],
    ['a BOM in the keyword', 'Action\ufeff: A\nAction Input: 1', MISSING_ACTION],
    ['an answer in lower case', 'final answer: 55', MISSING_ACTION],
    ['an answer with a blank before the colon', 'Final Answer : 55', MISSING_ACTION],
    ['the plural', 'Actions: A\nActions Input: 1', MISSING_ACTION],
    ['an action alone', 'Action: A', MISSING_ACTION_INPUT],
    ['an action with its input in brackets', 'Action: A[1]', MISSING_ACTION_INPUT],
    ['an input keyword in lower case', 'Action: A\nAction input: 1', MISSING_ACTION_INPUT],
    ['an input keyword without colon', 'Action: A\nAction Input 1', MISSING_ACTION_INPUT],
    ['several actions without input', 'Action: A\nAction 2: B', MISSING_ACTION_INPUT],
  ])('lacks a part, and the model is told which: %s', (_what, text, observation) => {
    const error = errorOf(text);
    expect(error.message).toBe(`Could not parse LLM output: \`${text}\``);
    expect(error.observation).toBe(observation);
  });

  test('has its input before its action: nothing is missing, so there is no sentence for the model', () => {
    const text = 'Action Input: 1\nAction: A';
    const error = errorOf(text);
    expect(error.message).toBe(`Could not parse LLM output: \`${text}\``);
    expect(error.observation).toBeUndefined();
  });
});

const MANY = 1_000_000;

const BLANKS = ' '.repeat(MANY);

describe('a million characters, where a pattern that tries again would not come to an end', () => {
  test.each<[what: string, text: string, type: 'act' | 'finish' | 'error']>([
    ['blanks', ' '.repeat(MANY), 'error'],
    ['blanks behind "Action"', `Action${' '.repeat(MANY)}`, 'error'],
    ['blanks behind a numbered "Action"', `Action 1${' '.repeat(MANY)}`, 'error'],
    ['digits behind "Action"', `Action ${'1'.repeat(MANY)}`, 'error'],
    ['"Action" again and again', 'Action '.repeat(MANY / 7), 'error'],
    ['"Action:" again and again', 'Action:'.repeat(MANY / 7), 'error'],
    ['blanks inside "Action Input"', `Action: A\nAction${' '.repeat(MANY)}Input`, 'error'],
    ['"Action Input" without colon again and again', `Action: ${'Action Input '.repeat(MANY / 13)}`, 'error'],
    ['blanks before and behind an input', `Action: A\nAction Input:${BLANKS}1${BLANKS}`, 'act'],
    ['quotes around an input', `Action: A\nAction Input: ${'"'.repeat(MANY)}1${'"'.repeat(MANY)}`, 'act'],
    ['"Final Answer:" again and again', 'Final Answer:'.repeat(MANY / 13), 'finish'],
    ['blanks around an answer', `Final Answer:${'\n '.repeat(MANY)}1${' \n'.repeat(MANY)}`, 'finish'],
  ])('are read in one go: %s', (_what, text, type) => {
    expect(outcomeOf(text)).toBe(type);
  });
});

test.each([
  '**Thought:** look\n**Action:** search\n**Action Input:** rain',
  '**Thought**: look\n**Action**: search\n**Action Input**: rain',
  '**Action: search**\n**Action Input: rain**',
])('headings in bold are headings: %j', (text) => {
  const action = { tool: 'search', toolInput: 'rain', log: expect.any(String) };
  expect(parseMrkl(text)).toEqual({ type: 'act', actions: [action] });
});

test('an answer after a heading in bold is without the marks, and bold words elsewhere stay', () => {
  expect(parseMrkl('**Final Answer:** it is **42**')).toMatchObject({ output: 'it is **42**' });
  expect(parseMrkl('Action: say\nAction Input: **hi**')).toMatchObject({
    actions: [{ toolInput: '**hi**' }],
  });
});

function outcomeOf(text: string): 'act' | 'finish' | 'error' {
  try {
    return parseMrkl(text).type;
  } catch (error) {
    if (error instanceof OutputParserError) return 'error';
    throw error;
  }
}

function errorOf(text: string): OutputParserError {
  try {
    parseMrkl(text);
  } catch (error) {
    if (error instanceof OutputParserError) return error;
    throw error;
  }
  throw new Error(`This was read, against expectation: ${text.slice(0, 200)}`);
}
