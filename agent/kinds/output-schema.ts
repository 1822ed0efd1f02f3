import type { AgentManifest } from '../manifest.ts';

/** Told to the model of an agent whose answer has to fit a schema; empty for the others. Begins with a blank line. */
export function outputInstructions({ output }: AgentManifest): string {
  if (output === undefined) return '';
  return `\n\nThe final answer has to be JSON, and nothing but JSON, that fits this JSON Schema:\n${JSON.stringify(output)}`;
}
