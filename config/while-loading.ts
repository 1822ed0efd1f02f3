import { type LoadingNote, loadingNotes } from '../tools/loading-note.ts';

/** Tells what a config waits for while it is loaded, MCP servers for instance. */
export function whileLoading(tell: (note: LoadingNote) => void): void {
  loadingNotes.subscribe((note) => tell(note as LoadingNote)); // only such are published there
}
