/** Whether a URL may be asked. */
export type Allowed = (url: URL) => boolean;

/**
 * Hosts by name: `api.example.com` (the scheme's own port), `localhost:8080`, `[::1]:8080`, `*.example.com` (any name
 * below it, but not itself). Names are compared as URLs write them, so that no other spelling of an address gets by; a
 * URL with a user name is refused, as it is made to be misread. Throws for an entry that names no host.
 */
export function allowList(entries: readonly string[]): Allowed {
  if (entries.length === 0) {
    throw new Error("http: allow is empty; list the hosts that may be asked, such as 'api.example.com'.");
  }
  const rules = entries.map(ruleFor);
  return (url) =>
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    rules.some((rule) => rule(url));
}

function ruleFor(entry: string): Allowed {
  const [, wildcard, name = '', port] =
    /^(\*\.)?([^\s*/?#@\\:[\]]+|\[[\da-f:.]+\])(?::(\d+))?$/i.exec(entry) ?? [];
  if (!URL.canParse(`http://${name}`)) {
    throw new Error(
      `http: allow holds "${entry}"; give a host such as 'api.example.com', 'localhost:8080' or '*.example.com'.`,
    );
  }
  const { hostname } = new URL(`http://${name}`);
  const matches = (host: string) =>
    wildcard === undefined ? host === hostname : host.endsWith(`.${hostname}`);
  return (url) => matches(url.hostname) && portOf(url) === (port ?? ownPort(url));
}

/** URLs leave their scheme's own port out. */
function portOf(url: URL): string {
  return url.port === '' ? ownPort(url) : url.port;
}

function ownPort({ protocol }: URL): string {
  return protocol === 'https:' ? '443' : '80';
}
