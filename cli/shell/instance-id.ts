import { randomUUID } from 'node:crypto';

const NAME = 'service.instance.id';

/**
 * Gives the process an id in the resource of an OpenTelemetry SDK that a config starts: two workers without one write the same series in
 * Prometheus, whose values then jump between theirs. An id that is set stays.
 */
export function nameInstance(env: NodeJS.ProcessEnv): void {
  const given = env['OTEL_RESOURCE_ATTRIBUTES'] ?? '';
  if (given.split(',').some((one) => one.trim().startsWith(`${NAME}=`))) return;
  env['OTEL_RESOURCE_ATTRIBUTES'] = [...(given === '' ? [] : [given]), `${NAME}=${randomUUID()}`].join(',');
}
