/** A skill of an agent, as a run records it: the body and the files are read when the model asks for them. */
export interface SkillManifest {
  name: string;
  description: string;
  /** Digest of all files: another version has another. */
  digest: string;
}

/** The tool by which a model reads a skill. */
export const READ_SKILL = 'read_skill';

/** Text for the prompt of an agent that has skills. */
export function skillsSection(skills: readonly SkillManifest[]): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`);
  return `You have skills: written instructions for certain tasks. Before you begin a task that one of them is about, call ${READ_SKILL} with its name, and follow what you read.\n${lines.join('\n')}`;
}
