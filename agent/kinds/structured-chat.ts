import { parseJsonAction } from '../reply/json-action.ts';
import type { AgentKind } from '../definition/kind.ts';
import { CLOSING_REQUEST } from '../observation/observations.ts';
import { outputInstructions, textScratchpad } from './prompt-parts.ts';
import { fill } from '../text/template.ts';
import { lineWithArguments } from './tool-lines.ts';
import type { ChatMessage } from '../values/vocabulary.ts';

const prefix = 'Help the user as well and as correctly as you can. These tools are at your disposal:';

const formatInstructions = `{tools}

You act by writing one JSON object: its "action" says what to do and its "action_input" what to do it with.

"action" is the name of a tool or "Final Answer"; the tools are: {tool_names}
"action_input" is an object with the tool's arguments, or one plain string for a tool with one argument.

There is exactly one action to a JSON object, like this:

\`\`\`
{
  "action": "the tool to use",
  "action_input": {"name of an argument": "its value"}
}
\`\`\`

Keep to this format:

Question: the question you have to answer
Thought: what is known by now and what is to be done next
Action:
\`\`\`
the JSON object
\`\`\`
Observation: what the tool returned
... (Thought, Action and Observation may come round as often as needed)
Thought: I know what to answer
Action:
\`\`\`
{
  "action": "Final Answer",
  "action_input": "the answer for the user"
}
\`\`\``;

const suffix = `Let us begin. Whatever you do, do it as one JSON object with a single action. Use a tool where it helps, and answer at once where none is needed. First comes "Action:", then the JSON object between two lines of \`\`\`, then the Observation.`;

const human = `{input}

{agent_scratchpad}
 (keep in mind: everything you say has to be a JSON object with an action)`;

/** ReAct with actions in JSON, for tools with several arguments (LangChain's create_structured_chat_agent). */
export const structuredChat: AgentKind<'system' | 'prefix' | 'formatInstructions' | 'suffix' | 'human'> = {
  name: 'structured-chat',
  stop: ['\nObservation'],
  prompt: { system: '', prefix, formatInstructions, suffix, human },
  stoppedOutput: 'Agent stopped due to iteration limit or time limit.',
  chatHistory: true,
  images: true,

  render({ manifest, input, chatHistory, steps, messages, variables, closing }) {
    const values = {
      ...variables,
      tool_names: manifest.tools.map(({ name }) => name).join(', '),
      tools: manifest.tools.map(lineWithArguments).join('\n'),
      input,
      agent_scratchpad:
        textScratchpad({ steps, messages }, '\nThought: ') + (closing ? `\n\n${CLOSING_REQUEST}` : ''),
    };
    const part = (name: string) => fill(manifest.prompt[name] ?? '', values);
    const format = part('formatInstructions') + outputInstructions(manifest);
    const parts = [part('prefix'), format, part('suffix')].join('\n\n');
    const own = part('system');
    const system = own === '' ? parts : own + outputInstructions(manifest);
    const question: ChatMessage = { role: 'user', content: part('human') };
    return { type: 'messages', messages: [{ role: 'system', content: system }, ...chatHistory, question] };
  },

  parse: ({ text }) => parseJsonAction(text),
};
