/** The key of every measured request. */
export const BENCH_KEY = 'key-of-the-measurements'
