import type { ModelPrompt } from '../definition/kind.ts';
import { type SkillManifest, skillsSection } from '../definition/skills.ts';
import type { ChatMessage } from '../values/vocabulary.ts';

/**
 * Lists an agent's skills at the beginning of a prompt: at the end of the system message, or as one. Kinds know nothing of skills, so that a
 * custom kind has them too.
 */
export function withSkills(prompt: ModelPrompt, skills: readonly SkillManifest[] | undefined): ModelPrompt {
  if (skills === undefined) return prompt;
  const section = skillsSection(skills);
  if (prompt.type === 'text') return { type: 'text', text: `${section}\n\n${prompt.text}` };
  return { ...prompt, messages: afterSystem(prompt.messages, section) };
}

function afterSystem(messages: readonly ChatMessage[], section: string): ChatMessage[] {
  const [first, ...others] = messages;
  if (first?.role !== 'system' || typeof first.content !== 'string')
    return [{ role: 'system', content: section }, ...messages];
  return [{ ...first, content: `${first.content}\n\n${section}` }, ...others];
}
