// Of its two forms the package's CommonJS one can be bundled for the sandbox.
const { Agent } = require('@openai/agents-core');
const { TemporalOpenAIRunner, activityAsTool } = require('@temporalio/openai-agents/workflow');

const look = activityAsTool(
  {
    name: 'look',
    description: 'Looks at what is there.',
    parameters: {
      type: 'object',
      properties: { step: { type: 'number' } },
      required: ['step'],
      additionalProperties: false,
    },
  },
  { startToCloseTimeout: '1m', heartbeatTimeout: '10s' },
);
const agent = new Agent({ name: 'bench', instructions: '', model: 'bench', tools: [look] });

exports.loop = async function loop(question, maxTurns) {
  const { finalOutput } = await new TemporalOpenAIRunner().run(agent, question, { maxTurns });
  return finalOutput;
};
