import { Runtime } from '@temporalio/worker';

/** Before each file: the SDK is set up by nobody, as in a process of its own. */
await Runtime._instance?.shutdown();
