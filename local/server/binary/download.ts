import { TestWorkflowEnvironment } from '@temporalio/testing';

/**
 * A separate process: `download FOLDER VERSION` leaves the Temporal CLI in a folder. The SDK downloads it only on the
 * way to a server, so one is started, in memory, and ended.
 */
const [downloadDir = '', version = ''] = process.argv.slice(2);
try {
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'cached-download', downloadDir, version },
      log: { format: 'pretty', level: 'never' },
    },
  });
  await environment.teardown();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
