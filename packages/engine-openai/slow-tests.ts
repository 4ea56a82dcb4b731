/** Tests with hours of recordings. `test:service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['test/long-recording.test.ts']
