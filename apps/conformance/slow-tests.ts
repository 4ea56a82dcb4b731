/** Tests that run a real service or take minutes. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['test/{service,drivers,faults}.test.ts']

/** The suite over each driver. `suite nightly` runs it instead of `suite service`. */
export const NIGHTLY_TESTS: readonly string[] = ['test/drivers.test.ts']
