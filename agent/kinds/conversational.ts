import { parseConversationalAction } from '../reply/json-action.ts';
import type { AgentKind } from '../definition/kind.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { CLOSING_REQUEST } from '../observation/observations.ts';
import { observationText } from './observation-text.ts';
import { outputInstructions, promptParts } from './prompt-parts.ts';
import { fill } from '../text/template.ts';
import { argumentNames, lineWithArguments } from './tool-lines.ts';
import type { ChatMessage } from '../values/vocabulary.ts';

const system = `You are an assistant who talks with people about whatever concerns them, answers their questions, short or long, and keeps in mind what was said before.

You can have tools used where your own knowledge does not reach. What you say is natural, to the point and true; where you do not know something, you say so.`;

const formatInstructions = `RESPONSE FORMAT INSTRUCTIONS
----------------------------

You reply to me in one of two ways, each a markdown code snippet with one JSON object.

**Option 1:**
When you want me to use a tool (one that is listed with args takes an object of them as its action_input):

\`\`\`json
{
    "action": "the tool to use, one of {tool_names}",
    "action_input": "what to give to the tool"
}
\`\`\`

**Option 2:**
When you want to speak to me yourself:

\`\`\`json
{
    "action": "Final Answer",
    "action_input": "what you want to say to me"
}
\`\`\``;

const human = `TOOLS
------
You may ask me to use tools that find out what you need for your answer. I have these:

{tools}

{format_instructions}

USER'S INPUT
--------------------
This is what I have to say (reply with a markdown code snippet of one JSON object with a single action, and with nothing else):

{input}`;

const toolResponse = `TOOL RESPONSE:
---------------------
{observation}

USER'S INPUT
--------------------

What do you reply to what I said last? I cannot see any TOOL RESPONSES: what you take from them has to be said in your answer, without the names of the tools. Reply with a markdown code snippet of one JSON object with a single action, and with nothing else.`;

/** A user's message to the running agent; not a text that an agent can replace. */
const INTERJECTION = `USER'S INPUT
--------------------

{said}

What do you reply to me now? Reply with a markdown code snippet of one JSON object with a single action, and with nothing else.`;

/** A conversation in messages, with actions in JSON (LangChain's chat-conversational-react-description). */
export const conversational: AgentKind<'system' | 'human' | 'formatInstructions' | 'toolResponse'> = {
  name: 'conversational',
  stop: ['\nObservation:', '\n\tObservation:'],
  prompt: { system, human, formatInstructions, toolResponse },
  stoppedOutput: 'Agent stopped due to iteration limit or time limit.',
  chatHistory: true,
  images: true,

  render({ manifest, input, chatHistory, steps, messages, variables, closing }) {
    const values = {
      ...variables,
      tool_names: manifest.tools.map(({ name }) => name).join(', '),
      tools: manifest.tools.map(toolLine).join('\n'),
      input,
    };
    const part = (name: string, more: { [name: string]: string } = {}) =>
      fill(manifest.prompt[name] ?? '', { ...values, ...more });
    const format = part('formatInstructions') + outputInstructions(manifest);
    const says = (role: ChatMessage['role'], content: string): ChatMessage => ({ role, content });
    const opening = part('system');
    return {
      type: 'messages',
      messages: [
        ...(opening === '' ? [] : [says('system', opening)]),
        ...chatHistory,
        says('user', part('human', { format_instructions: format })),
        ...promptParts({ steps, messages }).flatMap((shown) =>
          shown.type === 'message'
            ? [
                says(
                  shown.role,
                  shown.role === 'user' ? fill(INTERJECTION, { said: shown.text }) : shown.text,
                ),
              ]
            : [
                says('assistant', shown.step.action.log),
                says('user', part('toolResponse', { observation: observationText(shown.step.observation) })),
              ],
        ),
        ...(closing ? [says('user', CLOSING_REQUEST)] : []),
      ],
    };
  },

  parse: ({ text }) => parseConversationalAction(text),
};

/** A plain string is all that a tool of one argument needs. */
function toolLine(tool: ToolManifest): string {
  return `> ${argumentNames(tool).length < 2 ? `${tool.name}: ${tool.description}` : lineWithArguments(tool)}`;
}
