/** No form, no frame around the page, and nothing from elsewhere; `sources` are added. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of a page and of its files. `sources`: directives of the Content-Security-Policy beside the usual ones. */
export function pageHeaders(type: string, sources: string): { [name: string]: string } {
  return {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': `${POLICY}; ${sources}`,
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}
