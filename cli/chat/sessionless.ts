import type { Chat } from './chat-state.ts';

/** Said once: what was said before is not seen by an agent whose prompt has no place for it. */
export function saySessionless({
  terminal,
  config,
  agent,
}: Pick<Chat, 'terminal' | 'config' | 'agent'>): void {
  terminal.write([terminal.colors.yellow(sessionlessText(config, agent))]);
}

export function sessionlessText(config: Chat['config'], agent: string): string {
  const kind = config?.loaded.manifest(agent, {})?.kind ?? '';
  const kinds = [...(config?.loaded.kinds.values() ?? [])];
  const others = kinds.filter(({ chatHistory }) => chatHistory).map(({ name }) => name);
  return `Agent ${agent} is of kind ${kind}, whose prompt has no place for earlier messages: it sees each question alone. Kinds that remember: ${others.join(', ')}.`;
}
