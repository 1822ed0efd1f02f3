/** A URL as a message may show it: origin and path. User name, password, query and fragment may hold secrets. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'the given URL';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
