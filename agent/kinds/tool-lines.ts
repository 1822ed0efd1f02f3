import type { ToolManifest } from '../definition/manifest.ts';

/** Arguments of a tool that takes one plain string, as the others are listed (LangChain's name for it). */
const ONE_STRING = { tool_input: { type: 'string' } };

/** The names of a tool's arguments; none for a tool that takes one plain string. */
export function argumentNames({ inputSchema }: ToolManifest): string[] {
  return Object.keys(propertiesOf(inputSchema) ?? {});
}

/** `name: description, args: {…}`, the arguments being the properties of the tool's schema, as JSON. */
export function lineWithArguments({ name, description, inputSchema }: ToolManifest): string {
  const properties = propertiesOf(inputSchema) ?? ONE_STRING;
  const definitions = inputSchema?.['$defs'];
  // Properties may refer to them.
  const args = definitions === undefined ? properties : { ...properties, $defs: definitions };
  return `${name}: ${description}, args: ${JSON.stringify(args)}`;
}

function propertiesOf(schema: ToolManifest['inputSchema']): object | undefined {
  const properties = schema?.['properties'];
  return properties !== null && typeof properties === 'object' ? properties : undefined;
}
