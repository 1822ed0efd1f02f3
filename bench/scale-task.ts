/** Calls in a turn of the agent `wide`. */
export const WIDTH = 100;
