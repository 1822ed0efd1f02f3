import { channel } from 'node:diagnostics_channel';

/** Notes on slow steps of loading a config, on Node's diagnostics_channel, for the program that loads it. */
export const loadingNotes = channel('reloop:loading');

export interface LoadingNote {
  /** Name of what takes time, such as `MCP server files`. */
  what: string;
  over: boolean;
}

/** Reports that something takes time, and when it is over. */
export async function announced<T>(what: string, use: () => Promise<T>): Promise<T> {
  const tell = (over: boolean) => loadingNotes.publish({ what, over } satisfies LoadingNote);
  tell(false);
  try {
    return await use();
  } finally {
    tell(true);
  }
}
