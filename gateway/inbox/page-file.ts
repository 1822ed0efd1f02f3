import { readFileSync } from 'node:fs';
import { pageHeaders } from '../http/page-response.ts';
import type { ProtocolRoute } from '../http/protocol.ts';

/** Scripts and styles from the gateway only. */
const SOURCES = "script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:";

/** The route of a file of the pages. `made`: the file's name, or its text. A page loads its parts from below the gateway's path. */
export function pageFile(path: string, type: string, made: string | (() => string)): ProtocolRoute {
  const headers = pageHeaders(type, SOURCES);
  return {
    method: 'get',
    path,
    isPublic: true,
    async handle({ basePath }) {
      const text = typeof made === 'string' ? ownFile(made) : made();
      const placed = type === 'text/html' ? text.replaceAll('="/inbox/', `="${basePath}/inbox/`) : text;
      return new Response(placed, { headers });
    },
  };
}

function ownFile(name: string): string {
  return readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');
}
