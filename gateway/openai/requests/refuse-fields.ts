import { fieldOf } from '../../../agent/values/values.ts';
import { bad } from '../../http/read-body.ts';
import { SERVER_LABEL } from '../response-items.ts';

type Body = { readonly [field: string]: unknown };

/**
 * Fields that change what a client gets, and that only the agent's config can set. Without a refusal the client would believe that
 * they took effect.
 */
const refusals: { readonly [field: string]: { isUsed(value: unknown): boolean; says: string } } = {
  tools: {
    isUsed: (value) => !Array.isArray(value) || !value.every(isAgent),
    says: `The agent has its own tools, and calls them itself. Leave out \`tools\`. For approvals of its calls, a tool { type: 'mcp', server_label: '${SERVER_LABEL}' } is taken.`,
  },
  functions: {
    isUsed: (value) => !Array.isArray(value) || value.length > 0,
    says: 'The agent has its own tools, and calls them itself. Leave out `functions`.',
  },
  response_format: {
    isUsed: (value) => typeOf(value) !== 'text',
    says: 'The form of an answer is the `output` of the agent in its config. Leave out `response_format`.',
  },
  text: {
    isUsed: (value) => typeOf(fieldOf(value, 'format')) !== 'text',
    says: 'The form of an answer is the `output` of the agent in its config. Leave out `text.format`.',
  },
  n: { isUsed: (value) => value !== 1, says: 'A run has one answer. Leave out `n`.' },
  logprobs: {
    isUsed: (value) => value !== false,
    says: 'There are no log probabilities. Leave out `logprobs`.',
  },
  audio: { isUsed: () => true, says: 'The answer is a text. Leave out `audio`.' },
  prompt: { isUsed: () => true, says: 'The prompt is that of the agent in its config. Leave out `prompt`.' },
};

/** Throws Refused for a field that would have no effect and whose effect would be missed. `isAside`: fields that are not missed. */
export function refuseFields(
  body: Body,
  isAside: (field: string, body: Body) => boolean = () => false,
): void {
  for (const [field, { isUsed, says }] of Object.entries(refusals)) {
    const value = body[field];
    if (value !== undefined && value !== null && isUsed(value) && !isAside(field, body)) throw bad(says);
  }
}

/**
 * Chat front ends offer their own tools with each question, and show an answer that calls none: Open WebUI 0.12 sends 28. So tools of a chat
 * completion are set aside, unless the request demands a call.
 */
export function setsToolsAside(field: string, { tool_choice, function_call }: Body): boolean {
  if (field !== 'tools' && field !== 'functions') return false;
  return [tool_choice, function_call].every(
    (choice) => choice === undefined || choice === null || isFree(choice),
  );
}

function isFree(choice: unknown): boolean {
  const mode = fieldOf(fieldOf(choice, 'allowed_tools'), 'mode') ?? choice;
  return mode === 'auto' || mode === 'none';
}

/** A tool that stands for the agent's own: the Agents SDK has to have one to ask for approvals. */
function isAgent(tool: unknown): boolean {
  return fieldOf(tool, 'type') === 'mcp' && fieldOf(tool, 'server_label') === SERVER_LABEL;
}

/** `text` also where nothing is said. */
function typeOf(value: unknown): unknown {
  return fieldOf(value, 'type') ?? 'text';
}
