import { defineAgent } from 'eve';
import { CLERK } from '../../../../adapters/offered.ts';
import { model, modelContextWindowTokens } from '../../lib/model.mjs';

export default defineAgent({
  description: CLERK.description,
  model,
  modelContextWindowTokens,
  defaultTools: false,
  tool: false,
});
