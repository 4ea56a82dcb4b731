/** Sample rate of the speech server's PCM: 16 bit, one channel. */
export const UPSTREAM_RATE = 24_000

/** Speech of the speech server for each character of an input, in seconds. */
export const SECONDS_PER_CHARACTER = 0.05
