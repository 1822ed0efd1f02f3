import { describe, expect, test } from 'vitest';
import { requirePackage } from '../../tools/optional-package.ts';

describe('a package that not every project has', () => {
  test('is asked for by the words of the tool that needs it, with the command that installs it', () => {
    expect(() => requirePackage('pyodide', 'python()', () => undefined)).toThrow(
      /^python\(\) needs the package pyodide, which is not installed: npm install pyodide@\^\d+\.\d+\.\d+$/u,
    );
  });

  test.each(['1.0.0', '1.31.9', '1.32.1', '2.0.0'])(
    'is refused in version %s, which Reloop was not tried with',
    (version) => {
      expect(() => requirePackage('@modelcontextprotocol/sdk', 'mcp()', () => version)).toThrow(
        `mcp() needs @modelcontextprotocol/sdk ^1.32.2, but ${version} is installed: npm install @modelcontextprotocol/sdk@^1.32.2`,
      );
    },
  );

  test.each(['1.32.2', '1.32.10', '1.40.0', '1.33.0-beta.1'])('is taken in version %s', (version) => {
    expect(() => requirePackage('@modelcontextprotocol/sdk', 'mcp()', () => version)).not.toThrow();
  });

  test.each(['@modelcontextprotocol/sdk', 'pyodide', 'zod-to-json-schema'] as const)(
    'is found where npm has put it: %s',
    (name) => {
      expect(() => requirePackage(name, 'the checkout')).not.toThrow();
    },
  );
});
