import { Runtime } from '@temporalio/worker';

/** Before each file: the SDK is set up by nobody, as in a process of its own. `Runtime.instance()` would set it up. */
const { _instance: runtime } = Runtime;
await runtime?.shutdown();
