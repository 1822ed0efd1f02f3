import type { AgentKind } from '../definition/kind.ts';
import { withoutFence } from '../reply/fence.ts';
import { parseMrkl } from '../reply/mrkl-parser.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { CLOSING_REQUEST } from '../observation/observations.ts';
import { outputInstructions, textScratchpad } from './prompt-parts.ts';
import { toolNamed } from '../prompt/tool-names.ts';
import { fill } from '../text/template.ts';
import { argumentNames } from './tool-lines.ts';
import { exactJson } from '../values/json-object.ts';
import { plainJson } from '../values/values.ts';
import type { AgentAction, Json } from '../values/vocabulary.ts';

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
export const zeroShot: AgentKind<'system' | 'prefix' | 'formatInstructions' | 'suffix'> = {
  name: 'zero-shot',
  stop: ['\nObservation:', '\n\tObservation:'],
  prompt: { system: '', prefix, formatInstructions, suffix },
  stoppedOutput: 'Agent stopped due to iteration limit or time limit.',
  chatHistory: false,

  render({ manifest, input, steps, messages, variables, closing }) {
    const toolLines = manifest.tools.map(toolLine).join('\n');
    const values = {
      ...variables,
      tool_names: manifest.tools.map((tool) => tool.name).join(', '),
      tools: toolLines,
      input,
      agent_scratchpad:
        textScratchpad({ steps, messages }, '\nThought:') + (closing ? `\n\n${CLOSING_REQUEST}` : ''),
    };
    const part = (name: string) => fill(manifest.prompt[name] ?? '', values);
    const format = part('formatInstructions') + outputInstructions(manifest);
    const text = `${part('prefix')}\n\n${toolLines}\n\n${format}\n\n${part('suffix')}`;
    const system = part('system');
    if (system === '') return { type: 'text', text };
    // A model that continues text has to end where the agent speaks.
    if (manifest.params.api === 'completions') return { type: 'text', text: `${system}\n\n${text}` };
    return {
      type: 'messages',
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: text },
      ],
    };
  },

  parse({ text }, { tools }) {
    const decision = parseMrkl(text);
    if (decision.type === 'finish') return decision;
    return { type: 'act', actions: decision.actions.map((action) => withFields(action, tools)) };
  },
};

function toolLine(tool: ToolManifest): string {
  const { name, description, inputSchema } = tool;
  const fields = argumentNames(tool);
  if (fields.length < 2) return `${name}: ${description}`;
  const required = inputSchema?.['required'];
  const shown = fields.map((field) =>
    Array.isArray(required) && required.includes(field) ? `"${field}"` : `"${field}" (optional)`,
  );
  return `${name}: ${description} The input is a JSON object with the fields ${shown.join(', ')}.`;
}

/** A tool of several fields takes a JSON object; LangChain takes any text as the first field. */
function withFields(action: AgentAction, tools: ToolManifest[]): AgentAction {
  const tool = toolNamed(action.tool, tools);
  if (tool === undefined || argumentNames(tool).length < 2 || typeof action.toolInput !== 'string')
    return action;
  const object = jsonObject(action.toolInput);
  return object === undefined ? action : { ...action, toolInput: object };
}

function jsonObject(text: string): Json | undefined {
  try {
    const value = plainJson(exactJson(withoutFence(text)));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
