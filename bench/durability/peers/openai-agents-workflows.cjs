// README of @temporalio/openai-agents 1.23: "Workflow runner", "Run state and approvals", activities as tools, "Sessions" for a conversation.
const { Agent } = require('@openai/agents-core');
const {
  TemporalOpenAIRunner,
  WorkflowSafeMemorySession,
  activityAsTool,
} = require('@temporalio/openai-agents/workflow');
const {
  condition,
  currentUpdateInfo,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} = require('@temporalio/workflow');

const parameters = {
  type: 'object',
  properties: { run: { type: 'string' }, part: { type: 'string' } },
  required: ['run', 'part'],
  additionalProperties: false,
};
const description = 'Posts an entry to the ledger.';
const options = { startToCloseTimeout: '20s', heartbeatTimeout: '10s' };

exports.clerk = async function clerk(question) {
  let isApproved = false;
  let isWaiting = false;
  setHandler(defineSignal('approve'), () => {
    isApproved = true;
  });
  setHandler(defineQuery('waiting'), () => isWaiting);
  const post = activityAsTool({ name: 'post', description, parameters }, options);
  const tool = question.startsWith('Story approval') ? { ...post, needsApproval: async () => true } : post;
  const agent = new Agent({ name: 'clerk', instructions: '', model: 'durability', tools: [tool] });
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

exports.talk = async function talk() {
  const answers = {};
  const tools = [activityAsTool({ name: 'post', description, parameters }, options)];
  const agent = new Agent({ name: 'clerk', instructions: '', model: 'durability', tools });
  const session = new WorkflowSafeMemorySession();
  setHandler(defineQuery('answers'), () => answers);
  setHandler(defineUpdate('say'), async (question) => {
    const { id } = currentUpdateInfo();
    answers[id] = (await new TemporalOpenAIRunner().run(agent, question, { session })).finalOutput;
  });
  await condition(() => false);
};
