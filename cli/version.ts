import { readFileSync } from 'node:fs';

/** Of the package this file is in, from source or built. */
export function packageVersion(): string {
  for (let folder = new URL('../', import.meta.url); ; folder = new URL('../', folder)) {
    try {
      const { version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
        version: string;
      };
      return version;
    } catch (error) {
      if (folder.pathname === '/') throw error;
    }
  }
}
