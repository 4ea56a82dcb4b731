/** Tests with hours of recordings. `soak:service` runs them, `test` and `test:service` do not. */
export const SOAK_TESTS: readonly string[] = ['test/long-recording.test.ts']
