// Docs of Temporal, "AI SDK by Vercel integration" (docs.temporal.io/develop/typescript/integrations/ai-sdk): generateText with temporalProvider, tools that
// call activities. "Message passing": a signal and condition for a person. "Child Workflows": executeChild.
const { TemporalProvider } = require('@temporalio/ai-sdk/workflow');
const {
  condition,
  currentUpdateInfo,
  defineQuery,
  defineSignal,
  defineUpdate,
  executeChild,
  proxyActivities,
  setHandler,
} = require('@temporalio/workflow');
const { generateText, jsonSchema, stepCountIs, tool } = require('ai');
const { CLERK, LOOK, POST, isDeployed } = require('../adapters/offered.ts');

const offered = ({ description, parameters }, execute) =>
  tool({ description, inputSchema: jsonSchema(parameters), execute });
const clerkTools = (execute) =>
  isDeployed
    ? { post: offered(POST, execute), look: offered(LOOK, async () => '') }
    : { post: offered(POST, execute) };
// A model call of this plugin sends no heartbeats: its time-out is what a death costs.
const provider = new TemporalProvider({ languageModel: { startToCloseTimeout: '10s' } });
const { post } = proxyActivities({ startToCloseTimeout: '20s', heartbeatTimeout: '10s' });

exports.clerk = async function clerk(prompt) {
  let isApproved = false;
  let isWaiting = false;
  setHandler(defineSignal('approve'), () => {
    isApproved = true;
  });
  setHandler(defineQuery('waiting'), () => isWaiting);
  const { text } = await generateText({
    model: provider.languageModel('durability'),
    prompt,
    tools: clerkTools(async (input) => {
      if (prompt.startsWith('Story approval')) {
        isWaiting = true;
        await condition(() => isApproved);
        isWaiting = false;
      }
      return post(input);
    }),
    stopWhen: stepCountIs(20),
  });
  return text;
};

exports.office = async function office(prompt) {
  setHandler(defineQuery('waiting'), () => false);
  const clerk = offered(CLERK, ({ input }) => executeChild('clerk', { args: [input] }));
  const model = provider.languageModel('durability');
  return (await generateText({ model, prompt, tools: { clerk }, stopWhen: stepCountIs(20) })).text;
};

exports.talk = async function talk() {
  const messages = [];
  const answers = {};
  const tools = clerkTools((input) => post(input));
  setHandler(defineQuery('answers'), () => answers);
  setHandler(defineUpdate('say'), async (content) => {
    const { id } = currentUpdateInfo();
    messages.push({ role: 'user', content });
    const model = provider.languageModel('durability');
    const { text, response } = await generateText({ model, messages, tools, stopWhen: stepCountIs(20) });
    messages.push(...response.messages);
    answers[id] = text;
  });
  await condition(() => false);
};
