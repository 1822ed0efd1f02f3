/** The first Node that Reloop runs on, as package.json says. */
const LEAST = [20, 19] as const;

/** Says why this Node cannot run the command; undefined if it can. Imports nothing: an older Node fails at an import. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return undefined;
  return `error: Reloop needs Node ${LEAST.join('.')} or later, and this is ${version}. https://nodejs.org has it.`;
}
