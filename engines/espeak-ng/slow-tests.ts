/** Tests that need espeak-ng on PATH. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['src/espeak-engine.test.ts', 'test/espeak-ng.test.ts']
