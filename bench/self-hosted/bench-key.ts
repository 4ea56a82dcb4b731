/** The key that every measured request carries. */
export const BENCH_KEY = 'key-of-the-measurements'
