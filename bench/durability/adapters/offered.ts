import { TOOL } from '../stories.ts';

/** True after a deploy: the program has a tool with another description, and a second tool. */
export const isDeployed = process.env['DURABILITY_DEPLOY'] === '2';

/** The tool `post`, as this version of the program offers it. */
export const POST = {
  ...TOOL,
  description: isDeployed ? 'Posts an entry to the ledger, once for each part.' : TOOL.description,
};

/** The second tool of a later version, which no story calls. */
export const LOOK = {
  name: 'look',
  description: 'Reads an entry of the ledger.',
  parameters: TOOL.parameters,
};

/** The tool by which an agent asks its sub-agent, where the product does not make it. */
export const CLERK = {
  name: 'clerk',
  description: 'A clerk who makes payments. The input is the task.',
  parameters: {
    type: 'object',
    properties: { input: { type: 'string' } },
    required: ['input'],
    additionalProperties: false,
  },
} as const;
