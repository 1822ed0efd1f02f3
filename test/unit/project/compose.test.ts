import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { MACHINES } from '../../cluster/workers.ts';

/** No container engine is needed to see that the set-up is safe and says what the embedded server says. */
const serviceSchema = z.object({
  image: z.string().optional(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  init: z.boolean().optional(),
  deploy: z.object({ replicas: z.number() }).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  networks: z.array(z.string()).default(['default']),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  command: z.array(z.string()).default([]),
});
const all = {
  postgres: serviceSchema,
  schema: serviceSchema,
  temporal: serviceSchema,
  namespace: serviceSchema,
  ui: serviceSchema,
  worker: serviceSchema,
};
const composeSchema = z.object({
  services: z.object(all),
  networks: z.record(z.string(), z.object({ internal: z.boolean() })),
  volumes: z.record(z.string(), z.unknown()),
});

const { services, networks, volumes } = composeSchema.parse(parse(read('docker-compose.yml')));
const { postgres, schema, temporal, namespace, ui, worker } = services;
/** They end when they have done their work. */
const jobs = ['schema', 'namespace'];
const each = Object.entries(services).map(([name, service]) => ({ name, service }));

describe('docker-compose.yml', () => {
  test('pins every image, Temporal to the versions the embedded server has', () => {
    expect(each.flatMap(({ service }) => service.image ?? [])).toEqual([
      expect.stringMatching(/^postgres:1[56]\.\d+$/),
      'temporalio/admin-tools:1.32.0',
      'temporalio/server:1.32.0',
      'temporalio/admin-tools:1.32.0',
      'temporalio/ui:2.54.1',
    ]);
    expect(worker.build).toEqual({ context: '.', dockerfile: 'examples/deploy/Dockerfile' });
  });

  test('publishes the frontend and the Web UI, both on the loopback address', () => {
    const ports = each.flatMap(({ service }) => service.ports);
    expect(ports).toEqual(['127.0.0.1:7233:7233', '127.0.0.1:8080:8080']);
  });

  test('holds no secret', () => {
    const values = each.flatMap(({ service }) => Object.entries(service.environment));
    const given = values.filter(([, value]) => value !== null).map(([name]) => name);
    expect(given.filter((name) => /KEY|PASSWORD|PWD|SECRET|TOKEN/.test(name))).toEqual([]);
  });

  test('lets nobody but Temporal reach the database, which asks for no password', () => {
    expect(postgres.environment.POSTGRES_HOST_AUTH_METHOD).toBe('trust');
    expect(postgres.networks).toEqual(['database']);
    expect(networks.database).toEqual({ internal: true });
    const reaching = each.filter(({ service }) => service.networks.includes('database'));
    expect(reaching.map(({ name }) => name)).toEqual(['postgres', 'schema', 'temporal']);
  });

  test('keeps the database in a named volume', () => {
    expect(postgres.volumes).toEqual(['postgres:/var/lib/postgresql/data']);
    expect(Object.keys(volumes)).toEqual(['postgres']);
  });

  test('keeps histories for 90 days', () => {
    expect(namespace.command.join('')).toContain('namespace create --namespace default --retention 2160h');
  });

  test('starts nothing before what it needs answers', () => {
    const needs = each.flatMap(({ name, service }) =>
      Object.entries(service.depends_on).map(([needed, { condition }]) => `${name}: ${needed} ${condition}`),
    );
    expect(needs).toEqual([
      'schema: postgres service_healthy',
      'temporal: schema service_completed_successfully',
      'namespace: temporal service_healthy',
      'ui: temporal service_healthy',
      'worker: namespace service_completed_successfully',
    ]);
    const unchecked = each.filter(({ service }) => service.healthcheck === undefined);
    expect(unchecked.map(({ name }) => name)).toEqual(jobs);
  });

  test('calls the worker healthy while a worker polls the task queue', () => {
    const started = /^CMD (\[.*\])$/mu.exec(read('examples/deploy/Dockerfile'))?.[1] ?? '';
    const [node, main] = z.array(z.string()).parse(JSON.parse(started));
    expect(worker.healthcheck?.test).toEqual(['CMD', node, main, 'doctor', '--worker']);
  });

  test('makes the schema of both databases, and leaves a namespace that is there as it is', () => {
    expect(schema.command.join('')).toContain('for name in temporal visibility; do');
    expect(namespace.command.join('')).toMatch(/^temporal operator namespace describe .*\|\|\s+temporal/u);
  });

  test('points the Web UI and the worker at Temporal, and passes the model settings on', () => {
    expect(ui.environment.TEMPORAL_ADDRESS).toBe('temporal:7233');
    const server = { TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'default' };
    expect(worker.environment).toEqual({ ...server, OPENAI_API_KEY: null, OPENAI_BASE_URL: null });
  });

  test('has as many workers as `npm run cluster`, on which the topology is tried', () => {
    expect(worker.deploy).toEqual({ replicas: MACHINES.length });
  });

  test('gives the worker no rights, and a process that reaps its children', () => {
    expect(worker).toMatchObject({ init: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  });
});

describe('dynamic config', () => {
  test('is the file that the server reads', () => {
    const path = temporal.environment.DYNAMIC_CONFIG_FILE_PATH;
    expect(temporal.volumes).toEqual([`./examples/deploy/dynamic-config.yaml:${path}:ro`]);
  });

  test('has the values the embedded server is started with', () => {
    expect(parse(read('examples/deploy/dynamic-config.yaml'))).toEqual({
      'system.enableActivityEagerExecution': [{ value: true }],
      'history.transferProcessorMaxPollRPS': [{ value: 2000 }],
      'history.timerProcessorMaxPollRPS': [{ value: 2000 }],
    });
  });
});

describe('Dockerfile', () => {
  const [build, final] = stages(read('examples/deploy/Dockerfile'));

  test('has two stages on the same pinned Debian image: the native core of the SDK is built for glibc', () => {
    expect(build?.[0]).toMatch(/^FROM node:24\.\d+\.\d+-bookworm-slim AS build$/);
    expect(`${final?.[0]} AS build`).toBe(build?.[0]);
    expect(stages(read('examples/deploy/Dockerfile'))).toHaveLength(2);
  });

  test('ships the package, its dependencies, the build and the agents, nothing else', () => {
    expect(final?.filter((line) => /^(COPY|ADD) /.test(line))).toEqual([
      'COPY --from=build /app/package.json ./',
      'COPY --from=build /app/node_modules ./node_modules',
      'COPY --from=build /app/dist ./dist',
      'COPY --from=build /app/examples ./examples',
    ]);
  });

  test('runs the worker, not as root', () => {
    const lines = final?.filter((line) => /^(USER|CMD|ENTRYPOINT) /.test(line));
    expect(lines).toEqual(['USER node', 'CMD ["node", "../dist/cli/main.js", "worker"]']);
  });

  test('is given no installed package, no history and no secret of this machine', () => {
    const ignored = ['node_modules', 'dist', '.git', '.env*', '.reloop'];
    expect(read('examples/deploy/Dockerfile.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(ignored),
    );
  });
});

function read(file: string): string {
  return readFileSync(join(resolve(import.meta.dirname, '../../..'), file), 'utf8');
}

/** The instructions of each stage, continued lines joined. */
function stages(dockerfile: string): string[][] {
  const joined = dockerfile.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  const lines = joined.split('\n').filter(Boolean);
  return lines.reduce<string[][]>((all, line) => {
    if (line.startsWith('FROM ')) all.push([]);
    all.at(-1)?.push(line);
    return all;
  }, []);
}
