/**
 * Rules that the self-hosted service does not keep yet. A rule here that is kept fails the
 * test, so that the list only shrinks.
 */
export const PENDING: ReadonlySet<string> = new Set<string>()
