// README of @temporalio/openai-agents 1.23: "Workflow runner", "Run state and approvals", activities as tools, "Sessions" for a conversation, "Nested agent tools".
const { Agent } = require('@openai/agents-core');
const {
  TemporalOpenAIRunner,
  WorkflowSafeMemorySession,
  activityAsTool,
  agentAsTool,
} = require('@temporalio/openai-agents/workflow');
const {
  condition,
  currentUpdateInfo,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} = require('@temporalio/workflow');
const { CLERK, LOOK, POST, isDeployed } = require('../adapters/offered.ts');

const options = { startToCloseTimeout: '20s', heartbeatTimeout: '10s' };
const tools = () => (isDeployed ? [POST, LOOK] : [POST]).map((one) => activityAsTool(one, options));
const usual = { instructions: '', model: 'durability' };

exports.clerk = async function clerk(question) {
  let isApproved = false;
  let isWaiting = false;
  setHandler(defineSignal('approve'), () => {
    isApproved = true;
  });
  setHandler(defineQuery('waiting'), () => isWaiting);
  const needsApproval = question.startsWith('Story approval');
  const asking = (tool) => (needsApproval ? { ...tool, needsApproval: async () => true } : tool);
  const agent = new Agent({ ...usual, name: 'clerk', tools: tools().map(asking) });
  const runner = new TemporalOpenAIRunner();
  let result = await runner.run(agent, question);
  while (result.interruptions.length > 0) {
    isWaiting = true;
    await condition(() => isApproved);
    isWaiting = false;
    for (const interruption of result.interruptions) result.state.approve(interruption);
    result = await runner.run(agent, result.state);
  }
  return result.finalOutput;
};

exports.office = async function office(question) {
  setHandler(defineQuery('waiting'), () => false);
  const clerk = new Agent({ ...usual, name: 'clerk', tools: tools() });
  const asTool = agentAsTool(clerk, { toolName: CLERK.name, toolDescription: CLERK.description });
  const agent = new Agent({ ...usual, name: 'office', tools: [asTool] });
  return (await new TemporalOpenAIRunner().run(agent, question)).finalOutput;
};

exports.talk = async function talk() {
  const answers = {};
  const agent = new Agent({ ...usual, name: 'clerk', tools: tools() });
  const session = new WorkflowSafeMemorySession();
  setHandler(defineQuery('answers'), () => answers);
  setHandler(defineUpdate('say'), async (question) => {
    const { id } = currentUpdateInfo();
    answers[id] = (await new TemporalOpenAIRunner().run(agent, question, { session })).finalOutput;
  });
  await condition(() => false);
};
