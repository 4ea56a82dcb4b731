/**
 * Rules that the self-hosted service does not follow yet. A listed rule that passes fails the test, so the list only
 * shrinks.
 */
export const PENDING: ReadonlySet<string> = new Set<string>()
