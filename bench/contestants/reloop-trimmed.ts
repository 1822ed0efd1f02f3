/** Reloop with a model that sees the last steps only: for runs that are longer than any context. */
import { serveAgent } from './reloop-agents.ts';

await serveAgent({ trimIntermediateSteps: 20 });
