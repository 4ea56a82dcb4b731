/** Tests that speak for minutes. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['src/listening/speech-gate.test.ts']
