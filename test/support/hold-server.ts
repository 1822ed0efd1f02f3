import { acquireServer } from '../../local/server/server.ts';

/** A command that needs a server until it is told otherwise: `hold-server STATE-DIR PORTS-AS-JSON`. */
const [stateDir = '', ports = ''] = process.argv.slice(2);
const server = await acquireServer({
  stateDir,
  ports: JSON.parse(ports) as { grpc: number; ui: number }, // from the test
  onProgress: (line) => console.error(line),
});
console.log(JSON.stringify({ ...server, release: undefined }));
process.stdin.resume().once('end', () => void server.release());
