/** Headers of a response. Those whose value no Headers can hold (a byte outside Latin-1) are left out. */
export function readableHeaders(entries: {
  readonly [name: string]: string | readonly string[] | undefined;
}): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(entries)) {
    for (const value of [values ?? []].flat()) {
      if (NAME.test(name) && VALUE.test(value)) headers.append(name, value);
    }
  }
  return headers;
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/u;
const VALUE = /^[^\0\r\n\u0100-\u{10ffff}]*$/u;
