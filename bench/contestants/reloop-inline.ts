/** Reloop with a tool whose first attempt runs within the workflow task. */
import { serveAgent } from './reloop-agents.ts';

await serveAgent({ tool: { effects: 'none', inline: true } });
