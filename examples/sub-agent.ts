import { agentTool, defineAgent, defineConfig, defineTool } from 'reloop';
import { demoModel } from './demo-model.ts';

const archive = defineTool({
  name: 'archive',
  description: 'Looks a name up in the archive.',
  effects: 'none',
  run: (name) => `${name}: opened in 1889, 330 m high`,
});

/** Does the work, in a run of its own with its own limits: the child workflow `PARENT/1.1`. */
export const researcher = defineAgent({
  name: 'researcher',
  kind: 'zero-shot',
  description: 'finds things out',
  tools: [archive],
  maxIterations: 5,
  model: demoModel([
    ' I look it up.\nAction: archive\nAction Input: Eiffel Tower',
    ' I now know the final answer\nFinal Answer: It was opened in 1889.',
  ]),
});

/** Calls another agent as a tool, and is told its answer. */
export const editor = defineAgent({
  name: 'editor',
  kind: 'zero-shot',
  description: 'lets the researcher find things out',
  tools: [agentTool({ agent: 'researcher', description: 'Finds things out. The input is a question.' })],
  model: demoModel([
    ' The researcher should know.\nAction: researcher\nAction Input: When was the Eiffel Tower opened?',
    ' I now know the final answer\nFinal Answer: The Eiffel Tower has been open since 1889.',
  ]),
});

export default defineConfig({ agents: [editor, researcher] });
