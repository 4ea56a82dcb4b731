/** Tests that need espeak-ng on PATH. `test:service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['test/espeak-ng.test.ts']
