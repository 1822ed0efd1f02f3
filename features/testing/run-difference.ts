import type { TurnDecision } from '../../agent/calls/calls.ts';
import { contentText } from '../../agent/values/content.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import { type ChatMessage, asText } from '../../agent/values/vocabulary.ts';

/** First place where an exported run takes another way than it did. */
export interface RunDifference {
  /** `3` for the third iteration; `1.1/3` in the sub-agent that call 1.1 is. */
  step: string;
  /** `request`: the request to the model; `decision`: the decision in its reply; `answer`: the end of the run. */
  what: 'request' | 'decision' | 'answer';
  /** Texts, as a test prints them. */
  before: string;
  after: string;
}

/** A decision as a text that differs if the run takes another way, and not if only the wording differs. */
export function decisionText(decision: TurnDecision): string {
  switch (decision.type) {
    case 'act':
      return decision.actions
        .map(({ tool, toolInput, observation }) => {
          const told = observation === undefined ? '' : `\n  the model is told: ${asText(observation)}`;
          return `${tool} ${JSON.stringify(toolInput)}${told}`;
        })
        .join('\n');
    case 'finish':
      return `the answer ${JSON.stringify(decision.output)}`;
    case 'compact':
      return 'sums up its turns';
    case 'stop':
      return 'stops: the same action again and again';
    case 'fail':
      return `fails: ${decision.error.type}: ${decision.error.message}`;
  }
}

/** All of a request that the agent makes: not which model it is sent to, nor with which parameters. */
export function requestText({ prompt, stop }: ModelRequest): string {
  const asked =
    prompt.type === 'text'
      ? [prompt.text]
      : [...prompt.messages.map(messageText), ...(prompt.tools ?? []).map((tool) => JSON.stringify(tool))];
  return [...asked, `stop: ${JSON.stringify(stop)}`].join('\n\n');
}

function messageText({ role, content, toolCalls, toolCallId }: ChatMessage): string {
  const calls = toolCalls === undefined ? '' : `\n${JSON.stringify(toolCalls)}`;
  return `${role}${toolCallId === undefined ? '' : ` ${toolCallId}`}: ${contentText(content)}${calls}`;
}
