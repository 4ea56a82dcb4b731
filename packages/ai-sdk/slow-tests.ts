/** Tests that run a real service. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['test/service.test.ts']
