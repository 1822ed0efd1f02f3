/**
 * The text protocol of the zero-shot agent, case by case. The expected values were recorded by giving each text to the
 * MRKL parser of langchain-classic 1.0.8 (Python 3.11); beside this table, 170,000 random joints of keywords, blanks and
 * quotes were compared and none differed. Two differences are meant: the sentence about a missing action closes its
 * quote, as the newer ReAct parser's does, and the messages carry no link to a troubleshooting page.
 */
import { describe, expect, test } from 'vitest';
import { parseMrkl } from '../../agent/reply/mrkl-parser.ts';

describe('an action is read from', () => {
  test.each<[what: string, text: string, tool: string, toolInput: string]>([
    [
      'tool and input',
      'I need data.\nAction: Search\nAction Input: age of Vittoria Ceretti',
      'Search',
      'age of Vittoria Ceretti',
    ],
    [
      'a leading space, as completion models write it',
      ' I need data.\nAction: Search\nAction Input: x',
      'Search',
      'x',
    ],
    ['keywords with numbers', 'Action 1: Search\nAction 1 Input 1: x', 'Search', 'x'],
    ['numbers of other scripts', 'Action \u0661\u0662: Search\nAction Input \u{1d7d8}: x', 'Search', 'x'],
    ['no blanks at all', 'Action1:SearchAction1Input1:x', 'Search', 'x'],
    [
      'blanks and line breaks inside the keywords',
      'Action \n 1 \t : Search\nAction\n1\nInput\xa0:\u3000x',
      'Search',
      'x',
    ],
    ['keywords that do not start a line', 'So Action: Search, Action Input: x', 'Search,', 'x'],
    ['the tool on the line after its keyword', 'Action:\n\nSearch\n\nAction Input:\n\nx', 'Search', 'x'],
    [
      'a tool name trimmed of every kind of blank',
      'Action:\t\u2003 Python REPL \xa0\x85\r\nAction Input: x',
      'Python REPL',
      'x',
    ],
    [
      'a BOM and a zero-width space, which are no blanks to Python',
      'Action: \ufeffSearch\u200b\nAction Input: \ufeffx',
      '\ufeffSearch\u200b',
      '\ufeffx',
    ],
    ['quotes around the tool, kept', 'Action: "Search"\nAction Input: x', '"Search"', 'x'],
    ['an empty tool name', 'Action:\nAction Input: x', '', 'x'],
    ['an empty input', 'Action: Search\nAction Input:', 'Search', ''],
    ['an input of blanks only', 'Action: Search\nAction Input: \t\n ', 'Search', ''],
    [
      'an input of several lines',
      'Action: Python REPL\nAction Input: def f():\n    return 1\nprint(f())',
      'Python REPL',
      'def f():\n    return 1\nprint(f())',
    ],
    [
      'an input whose first line is indented: the indentation is lost',
      'Action: Python REPL\nAction Input:\n    x = 1\n    y = 2',
      'Python REPL',
      'x = 1\n    y = 2',
    ],
    ['a trailing line break, kept', 'Action: Search\nAction Input: x\n', 'Search', 'x\n'],
    ['trailing spaces, stripped', 'Action: Search\nAction Input: x  ', 'Search', 'x'],
    ['a trailing tab, kept', 'Action: Search\nAction Input: x\t', 'Search', 'x\t'],
    [
      'a line break behind trailing spaces, which shields them',
      'Action: Search\nAction Input: x  \n',
      'Search',
      'x  \n',
    ],
    [
      'quotes around the input, stripped',
      'Action: Search\nAction Input: "Vittoria Ceretti"',
      'Search',
      'Vittoria Ceretti',
    ],
    ['several quotes, all stripped', 'Action: Search\nAction Input: """x""', 'Search', 'x'],
    ['quotes inside, kept', 'Action: Search\nAction Input: say "hi" twice', 'Search', 'say "hi" twice'],
    [
      'two quoted words, which lose the outer quotes',
      'Action: Search\nAction Input: "a" OR "b"',
      'Search',
      'a" OR "b',
    ],
    [
      'a quote before a line break, kept while the left one goes',
      'Action: Search\nAction Input: "a"\n',
      'Search',
      'a"\n',
    ],
    ['blanks inside the quotes, kept', 'Action: Search\nAction Input: " a "', 'Search', ' a '],
    ['a space behind the closing quote', 'Action: Search\nAction Input: "a" ', 'Search', 'a'],
    ['single quotes, kept', "Action: Search\nAction Input: 'a'", 'Search', "'a'"],
    ['nothing but quotes', 'Action: Search\nAction Input: ""', 'Search', ''],
    [
      'an SQL query, whose quotes stay',
      'Action: SQL\nAction Input: SELECT * FROM "t"',
      'SQL',
      'SELECT * FROM "t"',
    ],
    [
      'an SQL query in lower case, whose quotes go',
      'Action: SQL\nAction Input: select * from "t"',
      'SQL',
      'select * from "t',
    ],
    [
      'an SQL query in quotes, which does not begin with SELECT',
      'Action: SQL\nAction Input: "SELECT "a""',
      'SQL',
      'SELECT "a',
    ],
    ['SELECT without a blank behind it', 'Action: SQL\nAction Input: SELECT\n"a"', 'SQL', 'SELECT\n"a'],
    ['JSON as text', 'Action: Weather\nAction Input: {"city": "Rome"}', 'Weather', '{"city": "Rome"}'],
    [
      'a code fence as text',
      'Action: Python REPL\nAction Input: ```python\nprint(1)\n```',
      'Python REPL',
      '```python\nprint(1)\n```',
    ],
    [
      'the first "Action:" as the start, even inside a thought',
      'My Action: is unclear\nAction: Search\nAction Input: x',
      'is unclear\nAction: Search',
      'x',
    ],
    [
      'the first "Action Input:" as its end, and further ones as input',
      'Action: A\nAction Input: 1\nAction: B\nAction Input: 2',
      'A',
      '1\nAction: B\nAction Input: 2',
    ],
    [
      'an observation that the model invented, as input',
      'Action: A\nAction Input: 1\nObservation: 2',
      'A',
      '1\nObservation: 2',
    ],
    [
      'an input keyword before the action, as part of the thought',
      'Action Input: 0\nAction: A\nAction Input: 1',
      'A',
      '1',
    ],
    ['no thought', 'Action: A\nAction Input: 1', 'A', '1'],
    [
      '"Final Answer" without a colon, as input',
      'Action: A\nAction Input: Final Answer',
      'A',
      'Final Answer',
    ],
    [
      'an answer in lower case, as input',
      'Action: A\nAction Input: 1\nfinal answer: 2',
      'A',
      '1\nfinal answer: 2',
    ],
    ['a double colon, half of which goes to the tool', 'Action:: A\nAction Input:: 1', ': A', ': 1'],
    [
      'characters beyond the basic plane',
      'Action: \u{1f50d}\nAction Input: "\u{1f600}"',
      '\u{1f50d}',
      '\u{1f600}',
    ],
    [
      'placeholders and replacement patterns, as they are',
      'Action: {tools}\nAction Input: $& $1 {input}',
      '{tools}',
      '$& $1 {input}',
    ],
  ])('%s', (_what, text, tool, toolInput) => {
    expect(parseMrkl(text)).toEqual({ type: 'act', actions: [{ tool, toolInput, log: text }] });
  });
});

describe('an answer is read from', () => {
  test.each<[what: string, text: string, output: string]>([
    ['the text behind the keyword', 'I now know the final answer\nFinal Answer: 55', '55'],
    ['no thought', 'Final Answer: 55', '55'],
    ['several lines', 'Final Answer: first\n\nsecond\n- third', 'first\n\nsecond\n- third'],
    ['blanks of every kind at its ends, trimmed', 'Final Answer:\u2003\n 55 \x1c\x85\u3000\n', '55'],
    ['a BOM, which is no blank to Python', 'Final Answer: \ufeff55', '\ufeff55'],
    ['nothing: an empty answer', 'Final Answer:', ''],
    ['the last of several', 'Final Answer: 1\nNo.\nFinal Answer: 2', '2'],
    ['quotes, kept', 'Final Answer: "55"', '"55"'],
    ['a keyword in the middle of a line', 'So the Final Answer: 55', '55'],
    [
      'an action in lower case behind it, as part of the answer',
      'Final Answer: 1\naction: A\naction input: 2',
      '1\naction: A\naction input: 2',
    ],
    [
      'an "Action:" without input behind it, as part of the answer',
      'Final Answer: do this.\nAction: run',
      'do this.\nAction: run',
    ],
    ['an "Action:" without input before it', 'Action: none needed\nFinal Answer: 55', '55'],
    ['an "Action Input:" before it', 'Action Input: none\nFinal Answer: 55', '55'],
    [
      'an action without input before and behind it',
      'Action: A\nFinal Answer: 55\nAction: B',
      '55\nAction: B',
    ],
  ])('%s', (_what, text, output) => {
    expect(parseMrkl(text)).toEqual({ type: 'finish', output, log: text });
  });
});

describe('an answer with an action behind it', () => {
  test.each<[what: string, text: string, output: string, log: string]>([
    [
      'ends at the next blank line',
      'Final Answer: 55\n\nAction: A\nAction Input: 1',
      '55',
      'Final Answer: 55',
    ],
    [
      'ends at the first of several blank lines',
      'Thought: done\nFinal Answer: 55\n\nmore\n\nAction: A\nAction Input: 1',
      '55',
      'Thought: done\nFinal Answer: 55',
    ],
    [
      'is empty when the blank line comes at once',
      'Final Answer:\n\n55\nAction: A\nAction Input: 1',
      '',
      'Final Answer:',
    ],
    [
      'does not end at a blank line of CRLF',
      'Final Answer: 55\r\n\r\nAction: A\r\nAction Input: 1!',
      '55\r\n\r\nAction: A\r\nAction Input: 1',
      'Final Answer: 55\r\n\r\nAction: A\r\nAction Input: 1',
    ],
    [
      'is all the rest but the last character, without a blank line',
      'Final Answer: 55\nAction: A\nAction Input: 12',
      '55\nAction: A\nAction Input: 1',
      'Final Answer: 55\nAction: A\nAction Input: 1',
    ],
    [
      'loses a last character of two code units whole',
      'Final Answer: 55\nAction: A\nAction Input: 1\u{1f600}',
      '55\nAction: A\nAction Input: 1',
      'Final Answer: 55\nAction: A\nAction Input: 1',
    ],
    [
      'is the first of several answers',
      'Final Answer: 1\n\nFinal Answer: 2\n\nAction: A\nAction Input: 1',
      '1',
      'Final Answer: 1',
    ],
    [
      'ends at a blank line behind the action',
      'Final Answer: 55 Action: A Action Input: 1\n\nand so on',
      '55 Action: A Action Input: 1',
      'Final Answer: 55 Action: A Action Input: 1',
    ],
  ])('%s', (_what, text, output, log) => {
    expect(parseMrkl(text)).toEqual({ type: 'finish', output, log });
  });
});
