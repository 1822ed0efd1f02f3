import { asText, type ChatMessage, contentText, type RunExport, RunNotFound } from '../../client/index.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { ownRun } from '../start/own-runs.ts';
import { bad } from '../http/read-body.ts';
import { runOfResponse } from './response-object.ts';

/** The run of a response that the caller may see. Throws RunNotFound. */
export async function ownRunOf(
  by: Pick<ProtocolRequest, 'client' | 'caller'>,
  response: string,
): Promise<string> {
  const run = runOfResponse(response);
  if (run === undefined) throw new RunNotFound(response);
  await ownRun(by, run);
  return run;
}

/** The conversation up to and with a response, as the record of its run has it. Throws RunNotFound, and Refused for a run without an answer. */
export async function previousMessages(
  request: Pick<ProtocolRequest, 'client' | 'caller'>,
  response: string,
): Promise<ChatMessage[]> {
  const { run, agents } = await request.client.get(await ownRunOf(request, response)).export();
  if (run.status !== 'completed' && run.status !== 'stopped') {
    throw bad(`The response before, of run ${run.id}, has no answer (${run.status}).`);
  }
  return [...questionOf({ run, agents }), { role: 'assistant', content: asText(run.output) }];
}

/** The messages that a run was asked with; the last one is the question. Throws RunNotFound. */
export async function askedMessages(
  { client }: Pick<ProtocolRequest, 'client'>,
  run: string,
): Promise<ChatMessage[]> {
  return questionOf(await client.get(run).export());
}

function questionOf({ run, agents }: Pick<RunExport, 'run' | 'agents'>): ChatMessage[] {
  const { input = run.input, chatHistory = [] } = agents[0]?.question ?? {};
  return [...chatHistory.map(inWords), { role: 'user', content: contentText(input) }];
}

/** A chat history takes texts only. */
function inWords(message: ChatMessage): ChatMessage {
  return { ...message, content: contentText(message.content) };
}
