import { setCurrentDetails, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { callPath, workflowOfCall } from '../../agent/calls/call-path.ts';
import { type DecisionName, decisionNames, ruleOf } from '../../agent/rules/decisions.ts';
import {
  type WaitingCall,
  needsPerson,
  possibleUpdates,
  reasonText,
  stateOf,
} from '../../agent/rules/waiting.ts';
import { type SessionMessage, type SessionState, speakers } from '../../agent/session/session.ts';
import { boundedText } from '../../agent/values/values.ts';
import { type RunStatus, asText } from '../../agent/values/vocabulary.ts';

/** The place in the Web UI where a person sends an update. */
const SEND_AN_UPDATE = '`More Actions` > `Send an Update`';

const PAUSED = `**Paused**: no model or tool call is started. To continue: ${SEND_AN_UPDATE} > \`resume\`.`;

/** Maximum of waiting calls in the details, and in the memo. */
const MOST_LISTED = 10;
/** Longer inputs are cut. The history has the whole input. */
const INPUT_CHARS = 2000;
const LISTED_CHARS = 300;

/** Maximum of messages of a conversation in the details. */
const MOST_MESSAGES = 6;
const MESSAGE_CHARS = 500;

/** Shows a run's status: first the reason, then what to do. */
export function showStatus(status: RunStatus, waiting: readonly WaitingCall[]): void {
  const paused = status === 'paused' ? [PAUSED] : [];
  showDetails([...paused, ...waitingDetails(workflowInfo().workflowId, waiting)]);
}

/** Shows the end of the conversation and the session's run. The Web UI reads it by a query, so nothing is recorded. */
export function showConversation(
  { messages, queue }: SessionState,
  open: Pick<SessionMessage, 'id'> | undefined,
): void {
  const shown = messages
    .slice(-MOST_MESSAGES)
    .flatMap(({ role, content }) => [
      `**${speakers[role]}**:`,
      codeBlock(boundedText(content ?? '', MESSAGE_CHARS)),
    ]);
  const running = open === undefined ? 'No run is under way.' : `Run ${codeSpan(open.id)} is under way.`;
  const queued = queue.length === 0 ? '' : ` ${queue.length} wait for their turn.`;
  showDetails([...shown, running + queued]);
}

/**
 * Returns a function that writes the waiting calls into the memo, or removes them when no call waits. Lists of runs read the memo without
 * a worker.
 */
export function waitingRecorder(): (waiting: readonly WaitingCall[]) => void {
  let since = new Map<string, number>();
  return (waiting) => {
    const key = ({ call, n }: WaitingCall) => `${call} ${n}`;
    since = new Map(waiting.map((wait) => [key(wait), since.get(key(wait)) ?? Date.now()]));
    const shown = waiting.slice(0, MOST_LISTED).map((wait) => ({
      call: boundedText(wait.call, 200),
      tool: boundedText(wait.tool, 100),
      reason: wait.reason,
      error: wait.error && boundedText(wait.error.message, 200),
      since: since.get(key(wait)),
      ...(wait.until === undefined ? {} : { until: wait.until }),
    }));
    upsertMemo({ waiting: waiting.length === 0 ? null : shown });
  };
}

/** An empty last line. The Web UI's frame cuts off the last line of longer texts. */
const LAST_LINE = '\u{a0}';

/** Shows paragraphs of Markdown. No paragraph: no details. */
function showDetails(paragraphs: readonly string[]): void {
  setCurrentDetails(paragraphs.length === 0 ? '' : [...paragraphs, LAST_LINE].join('\n\n'));
}

/** Makes paragraphs of Markdown for the Web UI's Current Details. `id`: the run's workflow id. */
export function waitingDetails(id: string, waiting: readonly WaitingCall[]): string[] {
  const [first] = waiting;
  if (first === undefined) return [];
  if (waiting.length > 1) return listed(id, waiting);
  if (!needsPerson(first)) return [lostAttempt(id, first)];
  const [why, input] = [whyText(first), inputBlock(first)];
  const sentences = [
    `To continue: ${place(id, first)}${SEND_AN_UPDATE} > ${updates(first)}.`,
    dataWhenAlone(first),
  ];
  return [
    `**Waiting for you**: ${subject(first)}${why === undefined ? '' : `: ${why}`}`,
    [...sentences, ...(input === undefined ? [] : ['Its input:'])].join(' '),
    ...(input === undefined ? [] : [input]),
  ];
}

function listed(id: string, waiting: readonly WaitingCall[]): string[] {
  const lines = waiting.slice(0, MOST_LISTED).map((wait) => {
    if (!needsPerson(wait)) return `- ${lostAttempt(id, wait)}`;
    const what = [subject(wait), whyText(wait) ?? inputSpan(wait)].filter((text) => text !== '').join(': ');
    return `- ${what}. ${place(id, wait)}${updates(wait)}; data \`"${ownId(wait)}"\``;
  });
  const more = waiting.length - lines.length;
  return [
    `**${waiting.filter(needsPerson).length} calls wait for you**. To continue: ${SEND_AN_UPDATE}`,
    lines.join('\n'),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

/** A lost attempt may still be running: the call continues automatically, or at once after an update. */
function lostAttempt(id: string, waiting: WaitingCall): string {
  const plan = `the tool is asked at ${new Date(waiting.until ?? 0).toISOString()} whether it took effect`;
  const how = `${place(id, waiting)}${SEND_AN_UPDATE} > ${updates(waiting)}; data \`"${ownId(waiting)}"\``;
  return `${subject(waiting)}: ${plan}. If you know that it is dead: ${how}.`;
}

function subject(waiting: WaitingCall): string {
  return `${codeSpan(boundedText(waiting.tool, 100))} (${codeSpan(waiting.call)}) ${reasonText(waiting)}`;
}

function whyText({ error, note }: WaitingCall): string | undefined {
  const why = error?.message ?? (note === undefined ? undefined : asText(note));
  return why === undefined || why.trim() === '' ? undefined : codeSpan(boundedText(why, LISTED_CHARS));
}

function updates(waiting: WaitingCall): string {
  return possibleUpdates(stateOf(waiting))
    .map((name) => `\`${name}\``)
    .join(', ');
}

/** Says where to send a decision on a sub-agent's call: to the sub-agent's workflow. Empty for the run's own calls. */
function place(id: string, { call }: WaitingCall): string {
  return callPath(call).length > 1
    ? `in the child workflow ${codeSpan(workflowOfCall(id, call))} (see Relationships): `
    : '';
}

/** Says which updates need data if only one call waits: most need none. */
function dataWhenAlone(waiting: WaitingCall): string {
  const fitting = possibleUpdates(stateOf(waiting));
  const needing = fitting.filter((name) => !isDecision(name) || requiresData(name));
  const except =
    needing.length === 0 ? '' : `, except for ${needing.map((name) => `\`${name}\``).join(', ')}`;
  return `Data: none${except}.`;
}

function isDecision(name: string): name is DecisionName {
  return decisionNames.some((known) => known === name);
}

function requiresData(name: DecisionName): boolean {
  return Object.values(ruleOf(name).takes).includes('required');
}

function ownId({ call }: WaitingCall): string {
  return callPath(call).at(-1) ?? call;
}

/** The input as a code block. In plain text the Web UI would show curly quotes, which are not JSON. */
function inputBlock(waiting: WaitingCall): string | undefined {
  const text = inputText(waiting, INPUT_CHARS);
  return text === '' ? undefined : codeBlock(text);
}

function inputSpan(waiting: WaitingCall): string {
  const text = inputText(waiting, LISTED_CHARS);
  return text === '' ? '' : codeSpan(text);
}

function inputText({ toolInput }: WaitingCall, length: number): string {
  return boundedText(asText(toolInput ?? ''), length);
}

/**
 * A text as code in a paragraph. What a tool, a model or a stranger has written is shown as code everywhere: as Markdown it could have
 * links, pictures, and sentences that look like Reloop's.
 */
function codeSpan(text: string): string {
  const line = text.replaceAll(/[\r\n]+/gu, ' ');
  const [ticks, pad] = ['`'.repeat(longestTicks(line) + 1), line.includes('`') ? ' ' : ''];
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

function codeBlock(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return [fence, text, fence].join('\n');
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map((ticks) => ticks.length));
}
