import type { Ports } from '../../local/server/ports.ts';

/** The user of the database, as in docker-compose.yml: nobody is asked for a password. */
export const DATABASE_USER = 'temporal';

/** Databases of the server, with the folder of the schema of each. */
export const DATABASES = { temporal: 'temporal', temporal_visibility: 'visibility' } as const;

const SERVICES = ['frontend', 'matching', 'history', 'worker'] as const;

interface ServerConfigOptions {
  databasePort: number;
  /** For each service, the frontend first, its port and a second one, for its kin. */
  ports: readonly Ports[];
  /** File of the dynamic config. */
  dynamicConfig: string;
}

/** The config that the image of docker-compose.yml makes of its environment, for one machine. */
export function serverConfig({ databasePort, ports, dynamicConfig }: ServerConfigOptions): object {
  const store = (databaseName: keyof typeof DATABASES, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${databasePort}`,
      connectProtocol: 'tcp',
      user: DATABASE_USER,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const services = SERVICES.map((name, index) => {
    const { grpc: grpcPort, ui: membershipPort } = ports[index] ?? {};
    return [name, { rpc: { grpcPort, membershipPort, bindOnLocalHost: true } }] as const;
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: store('temporal', 20), visibility: store('temporal_visibility', 10) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports[0]?.grpc}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '10s' },
  };
}
