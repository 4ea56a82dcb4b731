/** Tests that run a real service or take minutes. `test:service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['test/{service,drivers,faults}.test.ts']

/** The suite over each driver. `soak:service` runs it instead of `test:service`, which includes it otherwise. */
export const SOAK_TESTS: readonly string[] = ['test/drivers.test.ts']
