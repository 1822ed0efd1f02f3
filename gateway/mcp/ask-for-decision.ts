import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { OperatorDecision } from '../../agent/rules/decisions.ts';
import { waitReasonOf } from '../../agent/rules/wait-reasons.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { type PossibleDecision, possibleDecisions } from '../../agent/rules/possible-decisions.ts';

/** People may take their time. */
const ANSWER_MS = 86_400_000;

/** True if the client can ask a person (elicitation). A server of one request does not know its client, and cannot. */
export function canAsk({ server }: McpServer): boolean {
  return server.getClientCapabilities()?.elicitation !== undefined;
}

/** Sends the decision on a call of the run. `wait`: the `n` of the wait. */
export type SendDecision = (call: string, decision: OperatorDecision, wait: number) => Promise<unknown>;

/** Has the client ask a person, and sends the decision to the run. Returns false where the person does not decide. */
export async function askForDecision(
  { server }: McpServer,
  decide: SendDecision,
  wait: WaitingCall,
  signal: AbortSignal,
): Promise<boolean> {
  const possible = possibleDecisions(wait);
  const { action, content } = await server.elicitInput(
    {
      message: `${wait.tool} (${wait.call}) ${waitReasonOf(wait.reason).text}: ${JSON.stringify(wait.toolInput)}${wait.error === undefined ? '' : `\n${wait.error.message}`}`,
      requestedSchema: {
        type: 'object',
        properties: {
          decision: {
            type: 'string',
            enum: possible.map(({ type }) => type),
            enumNames: possible.map(({ does }) => does),
          },
          text: { type: 'string', description: 'A reason, or the result for resolve' },
        },
        required: ['decision'],
      },
    },
    { signal, timeout: ANSWER_MS },
  );
  const chosen = possible.find(({ type }) => type === content?.['decision']);
  if (action !== 'accept' || chosen === undefined) return false;
  await decide(wait.call, decisionOf(chosen, content?.['text']), wait.n);
  return true;
}

/** The text of the form is the field that the decision takes. */
function decisionOf({ type, takes }: PossibleDecision, text: unknown): OperatorDecision {
  const field = takes.output !== undefined ? 'output' : takes.reason !== undefined ? 'reason' : undefined;
  const isGiven = typeof text === 'string' && text !== '';
  return { type, ...(field !== undefined && isGiven && { [field]: text }) } as OperatorDecision; // the run checks it
}
