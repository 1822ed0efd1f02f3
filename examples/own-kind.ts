import {
  OutputParserError,
  asText,
  defineAgent,
  defineConfig,
  defineKind,
  defineTool,
  fill,
  promptParts,
} from 'reloop';
import { demoModel } from './demo-model.ts';

const FORMAT = 'Write one line: CALL tool: input, or ANSWER: text.';

/** A kind says how an agent asks and how it reads the answer; the durable loop around it stays the same. */
export const oneLine = defineKind({
  name: 'one-line',
  stop: ['\n'],
  prompt: { system: `Answer the user. You may call these tools:\n{tools}\n${FORMAT}` },
  stoppedOutput: 'Agent stopped due to iteration limit or time limit.',
  chatHistory: true,

  render({ manifest, input, chatHistory, steps, messages, variables }) {
    const tools = manifest.tools.map(({ name, description }) => `${name}: ${description}`).join('\n');
    return {
      type: 'messages',
      messages: [
        { role: 'system', content: fill(manifest.prompt['system'] ?? '', { ...variables, tools }) },
        ...chatHistory,
        { role: 'user', content: input },
        // Steps, and what people say to the run meanwhile (`reloop say`).
        ...promptParts({ steps, messages }).flatMap((part) =>
          part.type === 'message'
            ? [{ role: part.role, content: part.text }]
            : [
                { role: 'assistant' as const, content: part.step.action.log },
                { role: 'user' as const, content: `RESULT: ${asText(part.step.observation)}` },
              ],
        ),
      ],
    };
  },

  parse({ text }) {
    const [, answer] = /^ANSWER: ?(.*)$/u.exec(text) ?? [];
    if (answer !== undefined) return { type: 'finish', output: answer, log: text };
    const [, tool, toolInput] = /^CALL ([^:]+): ?(.*)$/u.exec(text) ?? [];
    if (tool === undefined || toolInput === undefined)
      throw new OutputParserError(`no such line: ${text}`, FORMAT);
    return { type: 'act', actions: [{ tool, toolInput, log: text }] };
  },
});

const clock = defineTool({
  name: 'opening hours',
  description: 'When a shop is open. The input is its name.',
  effects: 'none',
  run: (shop) => `${shop} is open from 9 to 5`,
});

export const terse = defineAgent({
  name: 'terse',
  description: 'speaks a format of its own, one line a turn',
  kind: oneLine,
  tools: [clock],
  model: demoModel([
    'Let me look that up.',
    'CALL opening hours: the bakery',
    'ANSWER: It closes at five.\nIs there anything else?',
  ]),
});

export default defineConfig({ agents: [terse] });
