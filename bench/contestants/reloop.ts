/** Reloop with an ordinary tool. */
import { serveAgent } from './reloop-agents.ts';

await serveAgent();
