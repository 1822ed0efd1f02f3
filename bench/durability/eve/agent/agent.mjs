import { defineAgent } from 'eve';
import { model, modelContextWindowTokens } from './lib/model.mjs';

export default defineAgent({ model, modelContextWindowTokens, defaultTools: false, tool: false });
