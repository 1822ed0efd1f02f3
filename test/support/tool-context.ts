/** Tests of our own tools use what a user's tests do. */
export { toolContext } from '../../features/testing/index.ts';
