import type { ModelPrompt } from '../definition/kind.ts';
import type { ChatMessage } from '../values/vocabulary.ts';

/**
 * The prompt with a message of the assistant for each call, and its result after it, for templates that know one call in a message (Llama
 * 3). Data that goes back to the provider stays with the first call. Each call of the prompt has one result (`validPrompt`).
 */
export function oneCallATurn(prompt: ModelPrompt): ModelPrompt {
  if (prompt.type === 'text') return prompt;
  const results = new Map(
    prompt.messages.flatMap((message) =>
      message.role === 'tool' ? [[message.toolCallId, message] as const] : [],
    ),
  );
  const messages = prompt.messages.flatMap((message): ChatMessage[] => {
    if (message.role === 'tool') return []; // each stands after its call
    if (message.toolCalls === undefined) return [message];
    return message.toolCalls.flatMap((call, number) => {
      const own: ChatMessage = number === 0 ? message : { role: 'assistant', content: null };
      return [{ ...own, toolCalls: [call] }, results.get(call.id) ?? []].flat();
    });
  });
  return { ...prompt, messages };
}
