import { durationsConfig } from './agents.ts';

/** The config of the workers that are killed, which are processes of their own. */
export default await durationsConfig([]);
