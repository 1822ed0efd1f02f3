import type { ErrorInfo } from '../values/vocabulary.ts';

/** A field of an extension (`run.extend`), and its usual value as it is typed: `10m`, `10000`. */
export interface Raise {
  limit: 'iterations' | 'time' | 'tokens' | 'cost';
  by: string;
}

/** The usual raise of the limit that a run has reached. `error`: of the wait at the limit. */
export function usualRaise({ error }: { error?: ErrorInfo | undefined }): Raise {
  return RAISES[error?.type ?? ''] ?? { limit: 'iterations', by: '5' };
}

const RAISES: { readonly [limitError: string]: Raise } = {
  MaxExecutionTime: { limit: 'time', by: '10m' },
  TokenBudget: { limit: 'tokens', by: '10000' },
  CostBudget: { limit: 'cost', by: '0.5' },
};
