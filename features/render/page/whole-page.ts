import { readFileSync } from 'node:fs';
import { type Html, html, toString, verbatim } from './html.ts';

/** The style sheet of the page. */
export function pageStyle(): string {
  return readFileSync(new URL('style.css', import.meta.url), 'utf8');
}

/** A page that needs nothing else: no script, no font, no image of anywhere; the page itself forbids them. `hasImages`: images are in it. */
export function wholePage(
  { title, hasImages = false }: { title: string; hasImages?: boolean },
  body: Html,
): string {
  return toString(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta
            http-equiv="Content-Security-Policy"
            content="default-src 'none'; style-src 'unsafe-inline'${hasImages ? '; img-src data:' : ''}"
          />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title}</title>
          <style>
            ${verbatim(pageStyle())}
          </style>
        </head>
        <body>
          ${body}
        </body>
      </html> `,
  );
}
