import type { InputRequests } from '@modelcontextprotocol/server';
import type { OperatorDecision } from '../../agent/rules/decisions.ts';
import { type PossibleDecision, possibleDecisions } from '../../agent/rules/possible-decisions.ts';
import { waitReasonOf } from '../../agent/rules/wait-reasons.ts';
import { type WaitingCall, calledText } from '../../agent/rules/waiting.ts';
import { fieldOf } from '../../agent/values/values.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { bad } from '../http/read-body.ts';
import { type Decider, decideAs } from '../start/decide-as.ts';

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
  const { reason, toolInput, note, error } = wait;
  const lines = [`${calledText(wait)} ${waitReasonOf(reason).text}: ${JSON.stringify(toolInput)}`];
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
  return decisionOf(chosen, fieldOf(content, 'text'));
}

/** The text of the form is the field that the decision takes. */
function decisionOf({ type, takes }: PossibleDecision, text: unknown): OperatorDecision {
  const field = takes.output !== undefined ? 'output' : takes.reason !== undefined ? 'reason' : undefined;
  const isGiven = typeof text === 'string' && text !== '';
  return { type, ...(field !== undefined && isGiven && { [field]: text }) } as OperatorDecision; // the run checks it
}

/**
 * Sends the decisions in a person's answers, which are by the keys of the requests. An answer about a wait that is over has no effect, so that
 * answers can be sent again. Throws Refused, before any decision, for an answer that does not fit its form; and as `decideAs`.
 */
export async function decideByAnswers(
  by: Decider,
  run: AgentRun,
  answers: { readonly [key: string]: unknown },
): Promise<void> {
  if (Object.keys(answers).length === 0) return;
  const { waiting } = await run.describe();
  const made = waiting.flatMap((wait) => {
    const decision = decisionIn(wait, answers[keyOf(wait)]);
    return decision === undefined ? [] : [{ wait, decision }];
  });
  for (const { wait, decision } of made) await decideAs(by, run, wait.call, decision, wait.n);
}
