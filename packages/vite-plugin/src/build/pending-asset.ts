import type { Page } from '../source/read-page.ts'

/** A narration that a build may need. */
export interface PendingAsset {
  /** Its name in placeholders. */
  readonly name: string
  /** The import as the user wrote it, from the site's root: the key of the asset in Vite's manifest. */
  readonly shownName: string
  /** Absolute path of the source, for errors. */
  readonly file: string
  readonly page: Page
}
