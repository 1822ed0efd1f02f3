import { contentText } from '../../agent/values/content.ts';
import { loopPaths, loopTools, unauthorized } from './loop-paths.ts';
import { operatedPaths, operatedTools } from './operated-paths.ts';
import { modelOf } from './scripts.ts';

/** Answers a conversation, and sums it up. */
const friend = modelOf((_step, { prompt }) => {
  if (prompt.type === 'text') return 'They greeted each other.';
  if (contentText(prompt.messages.at(-1)?.content ?? null).endsWith('fail')) throw unauthorized();
  return '```json\n{"action": "Final Answer", "action_input": "I see."}\n```';
});
const summary = { kind: 'summary', tokens: 8 } as const;

/** The agents of the recorded histories. */
export const recordedAgents = [
  ...loopPaths.map(({ name, model, options }) => ({ name, model, tools: loopTools, ...options })),
  ...operatedPaths.map(({ name, model, options }) => ({ name, model, tools: operatedTools, ...options })),
  { name: 'session', kind: 'conversational' as const, model: friend, memory: summary },
  { name: 'session-continued', kind: 'conversational' as const, model: friend },
];
