import { describe, expect, test } from 'vitest';
import { runPage, waitingPath } from '../../cli/web-ui.ts';
import type { EmbeddedServer } from '../../server/server.ts';

const embedded = { uiUrl: 'http://127.0.0.1:8233' } as EmbeddedServer; // no more is asked of it

describe('a page of the Web UI', () => {
  test('is a run’s, whatever its id', () => {
    expect(runPage({ embedded, namespace: 'a b' }, 'run/3.1 ?', 'r1')).toBe(
      'http://127.0.0.1:8233/namespaces/a%20b/workflows/run%2F3.1%20%3F/r1',
    );
    expect(runPage({ embedded, namespace: 'default' }, 'r')).toBe(
      'http://127.0.0.1:8233/namespaces/default/workflows/r',
    );
  });

  test('is not known of a server that somebody named', () => {
    expect(runPage({ embedded: undefined, namespace: 'default' }, 'r')).toBeUndefined();
  });

  test('lists the runs that wait, and can be saved as a view', () => {
    const query = new URL(waitingPath('default'), embedded.uiUrl).searchParams.get('query');
    expect(query).toBe('ReloopStatus="waiting"');
  });
});
