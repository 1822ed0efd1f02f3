/**
 * Prompts of Open WebUI (0.12.4, and versions before it) that no person has written: a chat's title, its tags, follow-up questions, search
 * queries, a prompt for an image, the rest of a sentence, an emoji, the choice of a tool, a summary, and notes on the user. It sends them to
 * the model of the chat, and their `metadata.task` stays in the front end.
 */
const prompts: readonly { role: 'user' | 'system'; text: RegExp }[] = [
  {
    role: 'user',
    text: /^### Task:\n[^]*\n### (?:Chat History|Context):\n<chat_history>\n[^]*<\/chat_history>/u,
  },
  { role: 'user', text: /^### Task:\nSummarize the conversation history that will be compacted\b/u },
  { role: 'user', text: /^Your task is to reflect the speaker's likely facial expression\b/u },
  { role: 'system', text: /^Available Tools: [^]*"tool_calls" array\b/u },
  { role: 'system', text: /^You are Open WebUI's private memory reviewer\b/u },
];

/** True for a question that a front end asks for itself. An agent that took it for a person's would use its tools. */
export function isOfFrontEnd(messages: readonly { role: string; text: string }[]): boolean {
  const last = messages.at(-1);
  const asks = messages.filter((message) => message.role === 'system' || message === last);
  return asks.some((said) => prompts.some(({ role, text }) => role === said.role && text.test(said.text)));
}
