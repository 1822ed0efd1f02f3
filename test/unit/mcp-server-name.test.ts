import { describe, expect, it } from 'vitest';
import { serverName } from '../../tools/mcp/server-spec.ts';

describe('an MCP server is named without what may be secret', () => {
  it.each([
    ['npx', ['-y', '@modelcontextprotocol/server-postgres', 'postgresql://admin:s3cret@db/prod']],
    ['npx', ['-y', '@modelcontextprotocol/server-postgres', '--key=s3cret']],
  ])('so %s %j is npx, its flags and its package', (command, args) => {
    expect(serverName({ command, args })).toBe('npx -y @modelcontextprotocol/server-postgres …');
  });

  it.each<[string, string[], string]>([
    ['server', [], 'server'],
    ['node', ['server.js'], 'node server.js'],
    ['python', ['-m', 'tickets', 's3cret'], 'python -m tickets …'],
    ['server', ['postgresql://admin:s3cret@db/prod'], 'server …'],
    ['server', ['KEY=s3cret'], 'server …'],
    ['sh', ['-c', 'export KEY=s3cret; exec server'], 'sh …'],
    ['npx', ['-y'], 'npx …'],
  ])('so %s %j is %s', (command, args, name) => {
    expect(serverName({ command, args })).toBe(name);
  });

  it('by the origin of its address alone', () => {
    expect(serverName({ url: 'https://user:pw@mcp.example.com:8443/api/S3CRET/mcp?key=s3cret' })).toBe(
      'https://mcp.example.com:8443',
    );
  });
});
