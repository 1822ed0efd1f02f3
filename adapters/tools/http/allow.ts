export interface AllowList {
  allows(url: URL): boolean;
  /**
   * True if the config's own headers, which may be keys, may go there: over https, on this machine, or to a port that
   * an entry names, since the author of the entry knew the server there. On any other way they could be read.
   */
  trusts(url: URL): boolean;
}

/**
 * Hosts by name: `api.example.com` (the scheme's own port), `localhost:8080`, `[::1]:8080`, `*.example.com` (any name
 * below it, but not itself). Names are compared as URLs write them, so that no other spelling of an address gets by; a
 * URL with a user name is refused, as it is made to be misread. Throws for an entry that names no host.
 */
export function allowList(entries: readonly string[]): AllowList {
  if (entries.length === 0) {
    throw new Error("http: allow is empty; list the hosts that may be asked, such as 'api.example.com'.");
  }
  const rules = entries.map(ruleFor);
  const allows = (url: URL) =>
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    rules.some(({ matches }) => matches(url));
  const isPrivate = (url: URL) =>
    url.protocol === 'https:' ||
    isLoopback(url.hostname) ||
    rules.some(({ matches, namesPort }) => namesPort && matches(url));
  return { allows, trusts: (url) => allows(url) && isPrivate(url) };
}

function ruleFor(entry: string) {
  const [, wildcard, name = '', port] =
    /^(\*\.)?([^\s*/?#@\\:[\]]+|\[[\da-f:.]+\])(?::(\d+))?$/i.exec(entry) ?? [];
  if (!URL.canParse(`http://${name}`)) {
    throw new Error(
      `http: allow holds "${entry}"; give a host such as 'api.example.com', 'localhost:8080' or '*.example.com'.`,
    );
  }
  const { hostname } = new URL(`http://${name}`);
  const isHost = (host: string) =>
    wildcard === undefined ? host === hostname : host.endsWith(`.${hostname}`);
  return {
    matches: (url: URL) => isHost(url.hostname) && (url.port || ownPort(url)) === (port ?? ownPort(url)),
    namesPort: port !== undefined,
  };
}

/** A URL writes every spelling of such an address in one of these ways. */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(hostname);
}

/** The port of the URL's scheme, which URLs leave out. */
function ownPort({ protocol }: URL): string {
  return protocol === 'https:' ? '443' : '80';
}
