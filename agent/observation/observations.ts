import { type ErrorInfo, EXCEPTION_TOOL, type Json, type Truncation, asText } from '../values/vocabulary.ts';

/** Fixed observations for the model. The first two are LangChain's; all are part of the protocol. */

export const INCOMPLETE_REPLY = 'Invalid or incomplete response';

export function unknownTool(name: string, known: readonly string[]): string {
  return `${name} is not a valid tool, try one of [${known.join(', ')}].`;
}

export const USE_TOOL_FORM =
  'use_tool takes the name and the input of a tool that search_tools has found, such as {"name": "find", "input": {"city": "Lisbon"}}. Nothing was run.';

export const CUT_REPLY =
  'Invalid Format: the reply was cut off at the token limit, so nothing was run. Answer again, shorter.';

export const CALL_AS_TEXT =
  'Invalid Format: the reply has the call of a tool as text, so nothing was run. Call the tool in the way in which tools are called here, or answer in plain words.';

export const FILTERED_REPLY =
  "The provider's content filter took your reply away. Answer again, in other words.";

/** Facts about a reply without text and calls, for a sentence to the model. */
export interface EmptyReply {
  finishReason: string;
  /** Tokens that the provider counted for it; undefined: it did not count. */
  tokens: number | undefined;
  hasThoughts: boolean;
  /** Names of the tools that the agent has. */
  tools: readonly string[];
}

/** Asks the model again after a reply of which nothing can be read: neither text nor a call. */
export function emptyReply({ finishReason, tokens = 0, hasThoughts, tools }: EmptyReply): string {
  if (finishReason === 'content_filter') return FILTERED_REPLY;
  if (finishReason === 'length') return CUT_BEFORE_ANSWER;
  const seen = hasThoughts
    ? 'Your reply had thoughts only, and neither text nor a call that could be read'
    : tokens > 1
      ? `Nothing could be read of the ${tokens} tokens of your reply: neither text nor a call`
      : 'Your reply was empty: it had neither text nor a call that could be read';
  const reason = ORDINARY_ENDS.includes(finishReason) ? '' : ` (finish reason: ${finishReason})`;
  const names = tools.join(', ');
  const call = names === '' ? '' : `call one of the tools [${names}] with complete arguments, or `;
  return `${seen}${reason}. Answer again: ${call}give the answer.`;
}

/** Reasons to finish that say nothing about why a reply is empty. */
const ORDINARY_ENDS = ['stop', 'unknown', 'other', ''];

const CUT_BEFORE_ANSWER =
  'The reply was cut off at the token limit before it had an answer or a call, so nothing was run. Answer again, with shorter thoughts.';

/**
 * Request to a model whose run a limit stopped, after its scratchpad (LangChain's early_stopping_method 'generate').
 */
export const CLOSING_REQUEST = 'I now need to return a final answer based on the previous steps:';

/**
 * Request for a summary of the turns before it, at the end of a prompt that is otherwise as the model knows it, so that the
 * provider's cache of the prompt serves for it.
 */
export const SUMMARY_REQUEST = `The conversation is getting too long to be shown to you as a whole. Everything that was done \
and said after the question is about to be removed, and only the notes that you write now will be left of it. Write down what \
has to be known to finish the task: results and facts with their exact names, numbers and identifiers, decisions and their \
reasons, what the user asked for on the way, what is done and what is still to be done. If there are notes already, take over \
what still matters, because yours replace them. Use the language of the conversation. Invent nothing. Write the notes only, as \
plain text: no tool call, no answer to the question, no other format.`;

/** Summary of the turns that the model no longer sees, as prompts show it. */
export function summarized(text: string): string {
  return `Notes on the work so far. The steps themselves are no longer shown.\n${text}`;
}

/** Replaces an assistant's message without a text: some servers refuse it. */
export const EMPTY_REPLY = '(a reply without text)';

/** Replaces a user's message without a text. */
export const EMPTY_MESSAGE = '(a message without text)';

/** Replaces a result that a request does not have. */
export const NO_RESULT = 'There is no result of this call.';

/** A result in a request that does not show its call. */
export function resultOfUnknownCall(text: string): string {
  return `Result of an earlier tool call: ${text}`;
}

/** A call described in words, for a model that does not take calls. */
export function calledInWords(tool: string, input: string): string {
  return `[I called the tool ${tool} with ${input}]`;
}

export function resultInWords(tool: string, text: string): string {
  return `[Result of the tool ${tool}] ${text}`;
}

/** The assistant's message between a result and a user's message, for servers that want the roles in turn. */
export const NOTED = 'Noted.';

/** The user's message before a conversation that the assistant starts. */
export const NOTHING_SAID = '(The conversation begins.)';

export function handedOver(agent: string): string {
  return `The conversation is handed over to ${agent}.`;
}

/** Observation of a second handoff in one turn. */
export function ignoredHandoff(agent: string): string {
  return `Ignored: the conversation can be handed over to one agent at a time, and it goes to ${agent}.`;
}

export function failedTool(tool: string, error: ErrorInfo): string {
  return `The tool ${tool} failed: ${error.message}`;
}

/** Error of a call with `effects: 'once'` that a person has to check. */
export function inDoubt(tool: string, what: string): string {
  return `${notKnown(tool)}${what.replace(/[.!]$/u, '')}.`;
}

/** Text about a call that was in doubt until its tool said that it had no effect. `doubt`: text of {@link inDoubt}. */
export function withoutEffect(tool: string, doubt: string): string {
  const what = doubt.startsWith(notKnown(tool)) ? doubt.slice(notKnown(tool).length) : doubt;
  return `${tool} did nothing, its reconcile says: ${what}`;
}

const notKnown = (tool: string) => `It is not known whether ${tool} took effect: `;

export function skippedTool(reason: string | undefined): string {
  return reason === undefined
    ? 'This tool call was skipped by the operator; there is no result.'
    : `This tool call was skipped by the operator: ${reason}`;
}

export function rejectedTool(reason: string | undefined): string {
  return reason === undefined
    ? 'This tool call was not approved by the operator and was not run. Do not try it again in the same way.'
    : `This tool call was not approved by the operator and was not run: ${reason}`;
}

export function cancelledTool(reason: string | undefined): string {
  return reason === undefined
    ? 'This tool call was cancelled before it ended; there is no result.'
    : `This tool call was cancelled before it ended: ${reason}`;
}

/** Observation of a background call: the model continues without the result. */
export function ticketText(call: string): string {
  return `Started in the background, with the ticket ${call}. Its result will come as a message; do not call the tool again for it. Continue, or give your answer: then you get the result first.`;
}

/** Message with the result of a background call. `input`: a person gave it. */
export function lateResult(call: string, tool: string, observation: Json, input: Json | undefined): string {
  const shown = input === undefined ? asText(observation) : withPersonsInput(input, observation);
  return `Result of the background call with the ticket ${call} (${tool}):\n${shown}`;
}

/** Result of a background call that another run made, or that was over without a result when the run went back. */
export const LOST_CALL =
  'The result of this call is not known here: it was under way when the run was taken back, begun again or forked. It may or may not have taken effect.';

/** Marker after the rest of an observation that was shortened to fit into the model's context. */
export function shortenedObservation(kept: number, total: number): string {
  return `\n[shortened to fit into the model's context: the first ${kept} of ${total} characters]`;
}

/** Observation of a call that the run's time limit cut. */
export const CUT_CALL = "This tool call was cut off at the run's time limit; there is no result.";

/** Observation of a call that may have done something before the run's time limit cut it. */
export const CUT_IN_DOUBT =
  "This tool call was cut off at the run's time limit; it may or may not have taken effect, and there is no result.";

/** Observation of a call whose input a person changed. */
export function withPersonsInput(input: Json, observation: Json): string {
  return `A person changed the input to ${asText(input)}.\n${asText(observation)}`;
}

export function repeatedAction(tool: string, times: number): string {
  if (tool === EXCEPTION_TOOL) {
    return `The reply could not be read, for the ${ordinal(times)} time in a row and for the same reason. Keep to the format.`;
  }
  return `This is the same action, ${tool} with the same input, for the ${ordinal(times)} time in a row, so it was not run again. Do something else, or give the final answer.`;
}

function ordinal(n: number): string {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}

export function invalidOutput(problem: string): string {
  return `The final answer does not fit the schema it has to fit: ${problem} Give it again.`;
}

/** Marker at the end of an answer that is not whole, for the model that reads it. */
export function truncatedAnswer(truncated: Truncation): string {
  return truncated === 'length'
    ? '\n[cut: the answer reached the token limit of its model, the rest is missing]'
    : "\n[cut: the provider's content filter ended the answer, the rest is missing]";
}

export function cutOutput(kept: number, total: number): string {
  return `\n[cut: the first ${kept} of ${total} characters]`;
}
