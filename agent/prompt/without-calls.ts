import type { ModelPrompt } from '../definition/kind.ts';
import { calledInWords, resultInWords } from '../observation/observations.ts';
import { contentText } from '../values/content.ts';
import type { ChatMessage } from '../values/vocabulary.ts';

/** The prompt without tools: its calls and their results are described in words, the results of a turn in one message. */
export function withoutCalls(prompt: ModelPrompt): ModelPrompt {
  if (prompt.type === 'text') return prompt;
  const names = new Map<string, string>();
  const messages: ChatMessage[] = [];
  let results: string[] = [];
  const endTurn = () => {
    if (results.length > 0) messages.push({ role: 'user', content: results.join('\n') });
    results = [];
  };
  for (const { role, content, toolCalls = [], toolCallId = '' } of prompt.messages) {
    for (const { id, name } of toolCalls) names.set(id, name);
    if (role === 'tool') {
      results.push(resultInWords(names.get(toolCallId) ?? 'unknown', contentText(content)));
      continue;
    }
    endTurn();
    const calls = toolCalls.map((call) => calledInWords(call.name, call.arguments));
    const said = content === null || content === '' ? [] : [contentText(content)];
    messages.push({ role, content: calls.length === 0 ? content : [...said, ...calls].join('\n') });
  }
  endTurn();
  return { type: 'messages', messages };
}
