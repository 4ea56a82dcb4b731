/** Tests that run a real service or take minutes. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['src/audio/loudness.test.ts', 'test/{diff,processes,service}.test.ts']
