import type { Narration } from '../narration.ts'
import { absolute } from './address.ts'

/** A `<meta property content>`. */
export interface MetaProperty {
  /** Name of the property, e.g. `og:audio`. */
  readonly property: string
  /** Its value. Escape it for an attribute, or let your framework do so. */
  readonly content: string
}

/**
 * Open Graph's properties of a narration, for the `<head>` of its page. Empty for a page without audio.
 * @throws TypeError when `site` is not an absolute address
 */
export function openGraphAudio({ src, type }: Narration, { site }: { readonly site: string }): readonly MetaProperty[] {
  if (src === '') return []
  const address = absolute(src, site)
  return [
    { property: 'og:audio', content: address },
    ...(address.startsWith('https:') ? [{ property: 'og:audio:secure_url', content: address }] : []),
    { property: 'og:audio:type', content: type },
  ]
}
