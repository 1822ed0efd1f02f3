import type {
  Response as ClientResponse,
  ResponseOutputItem,
  ResponseStatus,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import { needsPerson, reasonText, RunView, type Usage } from '../../client/index.ts';
import { failureText } from '../access/failure-text.ts';

/** The object as it is sent: the clients add `output_text`. `access_programs`, of types since openai 7, is of OpenAI's own models. */
export type ResponseObject = Omit<ClientResponse, 'output_text' | 'access_programs'>;

/** Fields of the request that the response repeats. */
export type RequestEcho = Partial<
  Pick<ClientResponse, 'background' | 'conversation' | 'previous_response_id'>
>;

export interface ResponseState {
  view: RunView;
  /** Milliseconds since 1970. */
  startedAt: number;
  output: ResponseOutputItem[];
  echo?: RequestEcho | undefined;
  /** Default: the status of the run. */
  status?: ResponseStatus | undefined;
}

export function responseIdOf(run: string): string {
  return `resp_${run}`;
}

/** The run of a response's id; undefined for another text. */
export function runOfResponse(id: string): string | undefined {
  return /^resp_(.+)$/su.exec(id)?.[1];
}

/** The state of a run as a response. */
export function responseObject({
  view,
  startedAt,
  output,
  echo,
  status = statusOf(view),
}: ResponseState): ResponseObject {
  const { id, agent, error, usage } = view;
  return {
    id: responseIdOf(id),
    object: 'response',
    created_at: secondsOf(startedAt),
    model: agent,
    status,
    output,
    error: status === 'failed' ? failureOf(error) : null,
    incomplete_details: status === 'incomplete' ? incompleteDetails(view) : null,
    metadata: metadataOf(view),
    ...(isOver(status) && { usage: usageOf(usage) }),
    ...echo,
    instructions: null,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
  };
}

/**
 * The AI SDK (6 and 7) starts another run when a stream starts with a failed response, unless the code is of an invalid request; and reads
 * no failed response without a type.
 */
function failureOf(error: RunView['error']) {
  const type = error?.type ?? 'RunFailed';
  return { code: 'invalid_prompt' as const, type, param: null, message: failureText(error) };
}

/** A run that waits for its turn in a conversation. Nothing of it is recorded yet. */
export function queuedResponse(
  run: string,
  { agent, echo }: { agent: string; echo: RequestEcho },
): ResponseObject {
  const view = Object.assign(new RunView(run), { agent });
  return responseObject({ view, startedAt: Date.now(), output: [], echo, status: 'queued' });
}

/** A run that waits for a person is `in_progress`: `metadata.waiting` says for which decision. */
export function statusOf({ status, truncated }: RunView): ResponseStatus {
  switch (status) {
    case 'completed':
      return truncated === undefined ? status : 'incomplete';
    case 'failed':
    case 'cancelled':
      return status;
    case 'stopped':
      return 'incomplete';
    case 'running':
    case 'waiting':
    case 'paused':
      return 'in_progress';
  }
}

/**
 * The status in the answer to a request that ends at a wait. With a request for an approval, or calls of the client's tools, the response is
 * complete: the next one has the approval and the results. Any other wait leaves the answer incomplete.
 */
export function statusAtEnd(view: RunView): ResponseStatus {
  if (waitingText(view) === '') return statusOf(view);
  return view.waiting.some(({ reason }) => reason === 'approval' || reason === 'client_tool')
    ? 'completed'
    : 'incomplete';
}

export function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function isOver(status: ResponseStatus): boolean {
  return status !== 'in_progress' && status !== 'queued';
}

/** The protocol has one reason that fits a limit, and no reason that fits a wait. */
function incompleteDetails({ status, truncated }: RunView): ClientResponse.IncompleteDetails {
  if (truncated === 'content_filter') return { reason: truncated };
  if (truncated === 'length') return { reason: 'max_output_tokens' };
  return status === 'stopped' ? { reason: 'max_output_tokens' } : {};
}

function metadataOf(view: RunView): { [name: string]: string } {
  const waiting = waitingText(view);
  return {
    run: view.id,
    ...(waiting !== '' && { waiting }),
    ...(view.stopReason !== null && { stop_reason: view.stopReason }),
  };
}

/** The calls that wait for a person: `1.1 pay: needs approval`. */
export function waitingText({ waiting }: RunView): string {
  return waiting
    .filter(needsPerson)
    .map((wait) => `${wait.call} ${wait.tool}: ${reasonText(wait)}`)
    .join('; ')
    .slice(0, MOST_CHARS);
}

/** A value of metadata is not longer. */
const MOST_CHARS = 512;

function usageOf(usage: Usage): ResponseUsage {
  const { promptTokens, completionTokens, totalTokens } = usage;
  const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: totalTokens,
  };
}
