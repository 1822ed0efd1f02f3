import { type ParsedReply, OutputParserError } from '../definition/kind.ts';
import { PY_SPACE, pyLastCharacter, pyStrip } from './python-text.ts';

/**
 * The text protocol of ReAct ("Action:", "Action Input:", "Final Answer:"), read as LangChain's legacy zero-shot agent
 * reads it. The patterns have one way to match only: a reply of a million blanks must not stop a worker.
 */
const ACTION = new RegExp(`Action${PY_SPACE}*(?:\\p{Nd}+${PY_SPACE}*)?:`, 'u');
const ACTION_INPUT = new RegExp(
  `Action${PY_SPACE}*(?:\\p{Nd}+${PY_SPACE}*)?Input${PY_SPACE}*(?:\\p{Nd}+${PY_SPACE}*)?:`,
  'u',
);
const LEADING_SPACE = new RegExp(`^${PY_SPACE}+`, 'u');
const FINAL_ANSWER = 'Final Answer:';

const MISSING_ACTION = "Invalid Format: Missing 'Action:' after 'Thought:'";
const MISSING_ACTION_INPUT = "Invalid Format: Missing 'Action Input:' after 'Action:'";
const BOTH = 'Parsing LLM output produced both a final answer and a parse-able action:';

/** Throws {@link OutputParserError} when the text holds neither an action nor an answer, or both in the wrong order. */
export function parseMrkl(reply: string): ParsedReply {
  const text = withoutBold(reply);
  const action = findAction(text);
  const answerAt = text.indexOf(FINAL_ANSWER);

  if (action !== undefined && answerAt >= 0) {
    if (answerAt > action.at) throw new OutputParserError(`${BOTH}: ${text}`);
    return answerBeforeAction(text, answerAt + FINAL_ANSWER.length);
  }
  if (action !== undefined) {
    return { type: 'act', actions: [{ tool: action.tool, toolInput: action.input, log: text }] };
  }
  if (answerAt >= 0) {
    const output = pyStrip(text.slice(text.lastIndexOf(FINAL_ANSWER) + FINAL_ANSWER.length));
    return { type: 'finish', output, log: text };
  }
  throw new OutputParserError(`Could not parse LLM output: \`${text}\``, missingPart(text));
}

const BOLD_HEADING = /\*\*(Thought|Action|Action Input|Final Answer)(?:\*\*:|:\*\*)/gu;
const BOLD_LINE = /^\*\*((?:Action|Action Input|Final Answer):[^\n*]*)\*\*$/gmu;

/** The reply with the headings of the format as plain text. Many models write `**Action:** search` or `**Action: search**`. */
function withoutBold(text: string): string {
  return text.includes('**') ? text.replace(BOLD_HEADING, '$1:').replace(BOLD_LINE, '$1') : text;
}

/** Undefined where both parts are there, but the input comes first: LangChain has no sentence for that. */
function missingPart(text: string): string | undefined {
  if (!ACTION.test(text)) return MISSING_ACTION;
  return ACTION_INPUT.test(text) ? undefined : MISSING_ACTION_INPUT;
}

/** The first "Action:" with an "Action Input:" anywhere after it; the input runs to the end of the text. */
function findAction(text: string): { at: number; tool: string; input: string } | undefined {
  const head = ACTION.exec(text);
  if (head === null) return undefined;
  const rest = text.slice(head.index + head[0].length);
  const inputHead = ACTION_INPUT.exec(rest);
  if (inputHead === null) return undefined;
  const tool = pyStrip(rest.slice(0, inputHead.index));
  const raw = rest.slice(inputHead.index + inputHead[0].length).replace(LEADING_SPACE, '');
  const input = pyStrip(raw, ' ');
  return { at: head.index, tool, input: input.startsWith('SELECT ') ? input : pyStrip(input, '"') };
}

/**
 * An answer with an invented action after it: the answer ends at the next blank line. Without one LangChain slices to
 * `-1` and so loses the last character; kept, because recorded runs show it.
 */
function answerBeforeAction(text: string, start: number): ParsedReply {
  const blankLine = text.indexOf('\n\n', start);
  const end = blankLine < 0 ? pyLastCharacter(text) : blankLine;
  return { type: 'finish', output: pyStrip(text.slice(start, end)), log: text.slice(0, end) };
}
