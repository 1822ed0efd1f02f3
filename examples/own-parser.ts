import { builtInKind, defineAgent, defineConfig, defineTool } from 'reloop';
import { demoModel } from './demo-model.ts';

const { parse } = builtInKind('zero-shot');

const length = defineTool({
  name: 'word length',
  description: 'Counts the letters of a word.',
  effects: 'none',
  run: (word) => String(word.length),
});

/**
 * An own parser, for a model that writes keywords in bold: it mends the reply and leaves the rest to the kind's own. One
 * that reads another format throws OutputParserError for what it cannot read.
 */
export const counter = defineAgent({
  name: 'word-counter',
  kind: 'zero-shot',
  description: 'understands keywords in bold',
  tools: [length],
  parser: ({ text, toolCalls }, manifest) =>
    parse(
      { text: text.replaceAll(/\*\*(Action|Action Input|Final Answer):\*\*/gu, '$1:'), toolCalls },
      manifest,
    ),
  model: demoModel([
    ' I count.\n**Action:** word length\n**Action Input:** durable',
    ' That is it.\n**Final Answer:** seven letters',
  ]),
});

export default defineConfig({ agents: [counter] });
