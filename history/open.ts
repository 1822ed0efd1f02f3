/** A run goes on: Temporal's name for its status. A paused one does as soon as it is let. */
export function isOpen(status: string): boolean {
  return status === 'RUNNING' || status === 'PAUSED';
}
