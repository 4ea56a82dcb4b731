/**
 * Whether the packages can be installed from the registry. The first release sets it to `true`, runs
 * `node scripts/check-install-notes.ts --write`, and so removes the note from every README.
 */
export const PUBLISHED: boolean = false
