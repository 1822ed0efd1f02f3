import type { AgentKind } from './kind.ts';
import { parseMrkl } from './mrkl-parser.ts';
import { fill } from './template.ts';
import { type AgentStep, asText } from './vocabulary.ts';

const prefix = 'Answer the question below as well as you can. These tools are at your disposal:';

const formatInstructions = `Keep to this format:

Question: the question you have to answer
Thought: what you think should be done next
Action: the tool to use, one of [{tool_names}]
Action Input: what to give to the tool
Observation: what the tool returned
... (Thought, Action, Action Input and Observation may come round as often as needed)
Thought: I now know the final answer
Final Answer: the answer to the question that was asked`;

const suffix = `Let us begin.

Question: {input}
Thought:{agent_scratchpad}`;

/** ReAct as plain text, for chat and completion models alike (LangChain's zero-shot-react-description). */
export const zeroShot: AgentKind = {
  name: 'zero-shot',
  stop: ['\nObservation:', '\n\tObservation:'],
  prompt: { prefix, formatInstructions, suffix },
  stoppedOutput: 'Agent stopped due to iteration limit or time limit.',
  chatHistory: false,

  render({ manifest, input, steps }) {
    const toolLines = manifest.tools.map((tool) => `${tool.name}: ${tool.description}`).join('\n');
    const values = {
      tool_names: manifest.tools.map((tool) => tool.name).join(', '),
      tools: toolLines,
      input,
      agent_scratchpad: scratchpad(steps),
    };
    const part = (name: string) => fill(manifest.prompt[name] ?? '', values);
    const text = [part('prefix'), toolLines, part('formatInstructions'), part('suffix')].join('\n\n');
    return { type: 'text', text };
  },

  parse: ({ text }) => parseMrkl(text),
};

function scratchpad(steps: AgentStep[]): string {
  return steps
    .map(({ action, observation }) => `${action.log}\nObservation: ${asText(observation)}\nThought:`)
    .join('');
}
