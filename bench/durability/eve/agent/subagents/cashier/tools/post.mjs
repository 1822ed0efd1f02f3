export { default } from '../../../tools/post.mjs';
