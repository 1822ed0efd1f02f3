import type { SettingNames } from './errors.ts';

/** An option, else its environment variable; empty text counts as not set. */
export function setting(option: string | undefined, variable: string): string | undefined {
  const value = (option ?? process.env[variable])?.trim();
  return value === '' ? undefined : value;
}

/** A header takes no other characters. Never repeats the key. */
export function keyProblem(apiKey: string | undefined, { key }: SettingNames): string | undefined {
  if (apiKey === undefined || /^[\x21-\x7e]+$/.test(apiKey)) return undefined;
  return `The API key holds a space, a line break or a character outside ASCII: copy ${key} again.`;
}

export function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}
