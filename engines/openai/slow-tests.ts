/** Tests with hours of recordings. `suite nightly` runs them, `test` and `suite service` do not. */
export const NIGHTLY_TESTS: readonly string[] = ['test/long-recording.test.ts']
