import { defineTool } from 'eve/tools';
import { z } from 'zod';
import { LOOK } from '../../../adapters/offered.ts';

export default defineTool({
  description: LOOK.description,
  inputSchema: z.object({ run: z.string(), part: z.string() }),
  execute: () => '',
});
