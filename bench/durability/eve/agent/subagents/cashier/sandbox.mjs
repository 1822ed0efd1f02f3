export { default, environment } from '../../sandbox.mjs';
