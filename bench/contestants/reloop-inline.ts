/** Reloop with a tool whose first attempt is made with the model call. */
import { serveAgent } from './reloop-agents.ts';

await serveAgent({ tool: { effects: 'none', inline: true } });
