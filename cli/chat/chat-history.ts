import { readFileSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeStateDirectory, stateDirectory } from '../../server/state-folder.ts';

/** What was typed in chats of this project, over chats. */
export interface ChatHistory {
  /** Latest first. */
  entries: string[];
  add(text: string): void;
}

const LENGTH = 500;

/** A file in the state folder, for the eyes of its user only; where it cannot be read or written there is no history. */
export function openChatHistory(folder = stateDirectory()): ChatHistory {
  const file = join(folder, 'chat-history.jsonl');
  const kept = read(file);
  let writing = makeStateDirectory(folder)
    .then(() =>
      kept.length > LENGTH ? writeFile(file, lines(kept.slice(-LENGTH)), { mode: 0o600 }) : undefined,
    )
    .catch(() => undefined);
  return {
    entries: kept.slice(-LENGTH).toReversed(),
    add(text) {
      writing = writing.then(() => appendFile(file, lines([text]), { mode: 0o600 })).catch(() => undefined);
    },
  };
}

/** One JSON text a line, oldest first. */
function read(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const text: unknown = line === '' ? undefined : JSON.parse(line);
        return typeof text === 'string' ? [text] : [];
      });
  } catch {
    return [];
  }
}

function lines(texts: string[]): string {
  return texts.map((text) => `${JSON.stringify(text)}\n`).join('');
}
