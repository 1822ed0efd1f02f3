import { type ChatMessage, contentText } from '../../client/index.ts';
import { type Caller, isAllowed } from '../http/caller.ts';

/**
 * Earlier messages as their sender may give them. Clients of OpenAI send the whole conversation each time, often with a system message.
 * From a caller without the permission `history`, these are texts of the sender, whatever their role: one message of the role user quotes
 * them. So the sender neither adds to the agent's instructions nor writes answers of the agent.
 */
export function sentHistory(caller: Caller, messages: readonly ChatMessage[]): ChatMessage[] {
  const isOwnWords = messages.every(({ role }) => role === 'user');
  if (isOwnWords || isAllowed(caller, 'history')) return [...messages];
  const quoted = messages.map(({ role, content }) => `[${role}] ${contentText(content)}`);
  return [{ role: 'user', content: [HEAD, ...quoted].join('\n\n') }];
}

const HEAD = 'The conversation so far, as I have it:';
