import type { ModelPrompt } from '../definition/kind.ts';
import { rolesInTurn } from './roles-in-turn.ts';

/** The prompt without a system message, whose text the first user's message begins with. Templates that know none want the roles in turn, too. */
export function withoutSystem(prompt: ModelPrompt): ModelPrompt {
  if (prompt.type === 'text' || prompt.messages.every(({ role }) => role !== 'system')) return prompt;
  const messages = prompt.messages.map((message) =>
    message.role === 'system' ? ({ ...message, role: 'user' } as const) : message,
  );
  return rolesInTurn({ ...prompt, messages });
}
