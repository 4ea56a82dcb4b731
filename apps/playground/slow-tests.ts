/** Tests that run a real service or take minutes. `suite service` runs them, `test` does not. */
export const SLOW_TESTS: readonly string[] = ['test/{demo,server}.test.ts']

/** Each panel in Chromium, and the journeys in Chromium and Firefox. `suite matrix` runs them. */
export const NIGHTLY_TESTS: readonly string[] = ['test/{browser,both}/**/*.test.ts']
