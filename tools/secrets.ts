/** What a text is given before it is cut: a secret that is cut is known no more, and what is left of it is shown. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())])
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length) // one may be part of another
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
