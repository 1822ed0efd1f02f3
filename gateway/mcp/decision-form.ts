import type { InputRequests } from '@modelcontextprotocol/server';
import {
  type AgentRun,
  calledText,
  type OperatorDecision,
  possibleDecisions,
  reasonText,
  type WaitingCall,
} from '../../client/index.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { bad } from '../http/read-body.ts';
import { decisionInWords } from '../http/sent-decision.ts';
import { demand } from '../http/caller.ts';
import { decideAll } from '../start/decide-all.ts';
import type { Decider } from '../start/decide-as.ts';

/** The form in which a client asks a person about a wait (`elicitation/create`). `enumNames` is the one form of titles that all revisions have. */
export function formOf(wait: WaitingCall) {
  const possible = possibleDecisions(wait);
  return {
    mode: 'form' as const,
    message: questionOf(wait),
    requestedSchema: {
      type: 'object' as const,
      properties: {
        decision: {
          type: 'string' as const,
          enum: possible.map(({ type }) => type as string),
          enumNames: possible.map(({ does }) => does),
        },
        text: { type: 'string' as const, description: 'A reason, or the result for resolve' },
      },
      required: ['decision'],
    },
  };
}

function questionOf(wait: WaitingCall): string {
  const { toolInput, note, error } = wait;
  const lines = [`${calledText(wait)} ${reasonText(wait)}: ${JSON.stringify(toolInput)}`];
  if (typeof note === 'string') lines.push(note);
  if (error !== undefined) lines.push(error.message);
  return lines.join('\n');
}

/** Requests to the client's person, one for each wait. */
export function inputRequestsOf(waits: readonly WaitingCall[]): InputRequests {
  return Object.fromEntries(
    waits.map((wait) => [keyOf(wait), { method: 'elicitation/create', params: formOf(wait) }]),
  );
}

/** Key of the request about a wait. A call counts its waits, so a run uses no key for two of them. */
export function keyOf({ call, n }: WaitingCall): string {
  return `${call}:${n}`;
}

/** The decision in a person's answer to the form. undefined: the person does not decide. Throws Refused for an answer that does not fit the form. */
export function decisionIn(wait: WaitingCall, answer: unknown): OperatorDecision | undefined {
  if (fieldOf(answer, 'action') !== 'accept') return undefined;
  const content = fieldOf(answer, 'content');
  const possible = possibleDecisions(wait);
  const named = fieldOf(content, 'decision');
  const chosen = possible.find(({ type }) => type === named);
  if (chosen === undefined) {
    const names = possible.map(({ type }) => type).join(', ');
    throw bad(
      `The answer about call ${wait.call} has the decision ${JSON.stringify(named)}. Possible: ${names}.`,
    );
  }
  const text = fieldOf(content, 'text');
  return decisionInWords(chosen, typeof text === 'string' ? text : '');
}

/** Answers of a person, by the keys of the requests. */
export interface PersonsAnswers {
  readonly [key: string]: unknown;
}

/** The answers in a request, which are decisions, in whichever call they are. Throws Refused for a caller who may not decide. */
export function answersIn(
  { caller }: Pick<Decider, 'caller'>,
  { inputResponses = {} }: { inputResponses?: PersonsAnswers },
): PersonsAnswers {
  if (Object.keys(inputResponses).length > 0) demand(caller, 'POST /mcp inputResponses');
  return inputResponses;
}

/**
 * Sends the decisions in a person's answers; keys that are not those of waits have no effect. Throws Refused, before any decision, for an answer that
 * does not fit its form; and as `decideAll`.
 */
export async function decideByAnswers(by: Decider, run: AgentRun, answers: PersonsAnswers): Promise<void> {
  const sent = Object.entries(answers).flatMap(([key, answer]) => {
    const [, call, n] = /^(.+):(\d+)$/su.exec(key) ?? [];
    return call === undefined
      ? []
      : [{ call, wait: Number(n), decision: (wait: WaitingCall) => decisionIn(wait, answer) }];
  });
  await decideAll(by, run, sent);
}
