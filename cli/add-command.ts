import type { Command } from 'commander';

/** Adds a command to a program: what is typed, the line in the list of all, and what its own help says beside that. */
export type Add = (usage: string, summary: string, more?: string) => Command;

/** Told the exit code of a command. */
export type EndCommand = (code: number) => void;

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
