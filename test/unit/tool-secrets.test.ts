import { describe, expect, it } from 'vitest';
import { askJson } from '../../tools/http/json.ts';
import { withoutSecrets } from '../../tools/secrets.ts';
import { failureOf, loopback } from '../support/loopback.ts';

describe('a secret', () => {
  it.each([
    ['as it is', 'key s/3cret!', 'key ***'],
    ['as it stands in an address', '?key=s%2F3cret!', '?key=***'],
    ['more than once', 's/3crets/3cret', '******'],
  ])('is taken out of a text %s', (_what, text, shown) => {
    expect(withoutSecrets(text, ['s/3cret!'.slice(0, 8), 's/3cret'])).toBe(shown);
  });

  it('that holds another one is taken out whole', () => {
    expect(withoutSecrets('abc-def', ['abc', 'abc-def', ''])).toBe('***');
  });

  it('is not shown in part where the message is cut inside of it', async () => {
    const key = 'sk-0123456789abcdef0123456789abcdef';
    const { url } = await loopback({ status: 400, body: `${'x'.repeat(485)}${key}` });
    const service = {
      name: 'S',
      address: url,
      secrets: [key],
      complaint: () => undefined,
      advice: () => '',
    };
    const error = await failureOf(askJson(service, new URL(url), {}, new AbortController().signal));
    expect(String(error)).toContain('x***');
    expect(String(error)).not.toContain('sk-');
  });
});
