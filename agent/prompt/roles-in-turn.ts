import type { ModelPrompt } from '../definition/kind.ts';
import { NOTED, NOTHING_SAID } from '../observation/observations.ts';
import type { ContentPart } from '../values/content.ts';
import type { ChatMessage } from '../values/vocabulary.ts';

/**
 * The prompt for servers that want the roles in turn (templates of Mistral, Gemma and Llama; Mistral's own API refuses a user's
 * message after a tool's result): neighbours of one role are one message, and a short message of the assistant stands between a
 * result and a user's message. Nothing is left out.
 */
export function rolesInTurn(prompt: ModelPrompt): ModelPrompt {
  if (prompt.type === 'text') return prompt;
  const messages: ChatMessage[] = [];
  for (const message of prompt.messages) {
    const last = messages.at(-1);
    const { role } = message;
    if (last !== undefined && last.role === role && role !== 'tool' && last.toolCalls === undefined) {
      messages.splice(-1, 1, { ...message, content: joined(last.content, message.content) });
      continue;
    }
    if (role === 'user' && last?.role === 'tool') messages.push({ role: 'assistant', content: NOTED });
    const isFirst = last === undefined || last.role === 'system';
    if (role === 'assistant' && isFirst) messages.push({ role: 'user', content: NOTHING_SAID });
    messages.push(message);
  }
  return { ...prompt, messages };
}

function joined(first: ChatMessage['content'], second: ChatMessage['content']): ChatMessage['content'] {
  if (!Array.isArray(first) && !Array.isArray(second)) {
    return [first, second].filter((text) => text !== null && text !== '').join('\n\n');
  }
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: ChatMessage['content']): ContentPart[] {
  if (Array.isArray(content)) return content;
  return content === null || content === '' ? [] : [{ type: 'text', text: content }];
}
