import { z } from '@hono/zod-openapi';
import { bad, optional, parsed, readBody } from '../../http/read-body.ts';
import { type PersonsAnswer, type SentAnswer, approvalAnswer } from '../../start/answer-run.ts';
import { readApprovalId } from '../approval-id.ts';
import type { ClientTool } from '../../../client/index.ts';
import type { ServedAgent } from '../../http/route.ts';
import { takesClientTools } from '../../start/brought-tools.ts';
import { type ClientResult, readClientCall } from '../../start/client-calls.ts';
import { runOfItem } from '../item-id.ts';
import { type ChatQuestion, message, readMessages, resultsIn, throughQuestion } from './read-messages.ts';
import { takeFunctions } from './read-tools.ts';
import { refuseFields } from './refuse-fields.ts';
import { type RequestEcho, responseIdOf } from '../response-object.ts';

export interface ResponseRequest {
  agent: string | undefined;
  /** Answers to approvals, and results of the client's tools, after its last question. */
  approvals: SentAnswer[];
  results: ClientResult[];
  /** The question, with what is before it. Throws Refused. */
  question(): ResponseQuestion;
  session: string | undefined;
  isBackground: boolean;
  /** The fields of the body that are not OpenAI's. */
  body: object;
  stream: boolean;
  echo: RequestEcho;
}

interface ResponseQuestion extends ChatQuestion {
  clientTools: readonly ClientTool[] | undefined;
  /** Id of the response before: the one that is named, or the one whose items are referred to. */
  previous: string | undefined;
}

/** `approve`: false for a rejection. */
const approvalFields = z.object({
  approval_request_id: z.string(),
  approve: z.boolean(),
  reason: optional(z.string()),
});
const approvalResponse = z
  .looseObject({ type: z.literal('mcp_approval_response') })
  .transform((sent) => ({ type: 'approval' as const, sent }));

/** Items of the agent and of other models, without a text: a client that keeps the conversation itself sends them again. */
const ownItem = z
  .object({
    type: z.enum([
      'mcp_call',
      'mcp_list_tools',
      'mcp_approval_request',
      'reasoning',
      'function_call',
      'function_call_output',
    ]),
    call_id: optional(z.string()),
    output: z.unknown().optional(),
  })
  .transform(({ type, call_id: callId, output: result }) =>
    type === 'function_call_output' ? { type: 'own' as const, callId, result } : { type: 'own' as const },
  );

/** Stands for an item that the server keeps, in the requests of the AI SDK. */
const reference = z.object({ type: z.literal('item_reference'), id: z.string() });

const said = message.transform((value) => ({ type: 'message' as const, message: value }));

const item = z.union([approvalResponse, ownItem, reference, said], {
  error: 'Send messages, answers to approvals (mcp_approval_response), and items of tool calls as they came.',
});
type Item = z.output<typeof item>;

const body = z.looseObject({
  model: optional(z.string()),
  input: z.preprocess(
    (value) => (typeof value === 'string' ? [{ role: 'user', content: value }] : value),
    z.array(item),
  ),
  instructions: optional(z.string()),
  conversation: optional(
    z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)], {
      error: 'Write the name of a session, or { "id": … } with the name.',
    }),
  ),
  previous_response_id: optional(z.string()),
  background: optional(z.boolean()),
  stream: optional(z.boolean()),
});

/** Reads a request for a response. Throws Refused. */
export async function readResponseRequest(
  request: Request,
  agents: readonly ServedAgent[] | undefined,
): Promise<ResponseRequest> {
  const {
    model: agent,
    input,
    instructions,
    conversation: session,
    previous_response_id: previous,
    background = false,
    stream = false,
    ...sent
  } = await readBody(request, body);
  const isTaken = agent !== undefined && takesClientTools(agents, agent) !== false;
  const { clientTools, rest } = isTaken ? takeFunctions(sent) : { clientTools: undefined, rest: sent };
  refuseFields(rest);
  if (session !== undefined && previous !== undefined) {
    throw bad('There are a conversation and a previous_response_id: give one of them.');
  }
  const approvals = lastApprovals(input);
  const results = resultsIn(input, isQuestion);
  const question = () => {
    const all = results.length === 0 ? input : throughQuestion(input, isQuestion);
    if (all.length === 0) throw bad(`model: the results are of a run of another agent. ${WHOLE}`);
    const { referenced, rest: items } = readReferences(all);
    return {
      ...askedBy(items, { instructions, session }),
      clientTools,
      previous: previous ?? (session === undefined ? referenced : undefined),
    };
  };
  return {
    agent,
    approvals,
    results,
    question,
    session,
    isBackground: background,
    body: { ...rest, tools: clientTools },
    stream,
    echo: {
      background,
      ...(session !== undefined && { conversation: { id: session } }),
      ...(previous !== undefined && { previous_response_id: previous }),
    },
  };
}

const WHOLE = 'For another agent to answer, send the whole conversation.';

function isQuestion(one: Item): boolean {
  return one.type === 'message' && one.message.role === 'user';
}

/** The response that the last reference names, which has all items before; and the items after it. */
function readReferences(input: readonly Item[]): { referenced?: string; rest: readonly Item[] } {
  const last = input.findLastIndex(({ type }) => type === 'item_reference');
  const referred = input[last];
  if (referred?.type !== 'item_reference') return { rest: input };
  const run = runOfItem(referred.id);
  if (run === undefined) throw bad(`item_reference: ${referred.id} is not the id of an item of a response.`);
  return { referenced: responseIdOf(run), rest: input.slice(last + 1) };
}

/** The answers at the end of the input, among references to their requests and results of tools; those before were given earlier. */
function lastApprovals(input: readonly Item[]): SentAnswer[] {
  const first = input.findLastIndex((one) => !isAnswer(one)) + 1;
  return input.slice(first).flatMap((one) => (one.type === 'approval' ? [() => answerOf(one)] : []));
}

function isAnswer(one: Item): boolean {
  if (one.type === 'own') return readClientCall('callId' in one ? one.callId : undefined) !== undefined;
  return one.type === 'approval' || one.type === 'item_reference';
}

function answerOf({ sent }: Extract<Item, { type: 'approval' }>): PersonsAnswer {
  const { approval_request_id: id, approve, reason } = parsed(approvalFields, sent);
  const approval = readApprovalId(id);
  if (approval === undefined) throw bad(`${id} is not the id of an mcp_approval_request.`);
  return approvalAnswer(approval, { approve, reason });
}

function askedBy(
  input: readonly Item[],
  { instructions, session }: { instructions: string | undefined; session: string | undefined },
): ChatQuestion {
  if (input.at(-1)?.type !== 'message') throw bad('The last item has to be the question, of the role user.');
  const messages = input.flatMap((one) => (one.type === 'message' ? [one.message] : []));
  const { input: question, chatHistory } = readMessages(messages);
  const system = instructions === undefined ? [] : [{ role: 'system' as const, content: instructions }];
  const history = [...system, ...chatHistory];
  if (session !== undefined && history.length > 0) {
    throw bad('A conversation has its own messages: send one message of the role user, and no instructions.');
  }
  return { input: question, chatHistory: history };
}
