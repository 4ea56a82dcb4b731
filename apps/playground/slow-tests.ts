/** Tests that run a real service or take minutes. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['test/{demo,server}.test.ts']
