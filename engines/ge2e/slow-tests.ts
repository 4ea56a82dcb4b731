/** Tests that rewrite the whole module. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['build/rewrite-module.test.ts']
