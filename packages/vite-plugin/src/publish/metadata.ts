import type { Narration } from '../narration.ts'
import { absolute } from './xml.ts'

/** Options of {@link audioObject}. */
export interface AudioObjectOptions {
  /** Address of the site, e.g. `https://blog.example`. */
  readonly site: string
  /** Name of the audio. @default the title of the page */
  readonly name?: string | undefined
  /** What is said. Only pages that ask for the text have it: `import { text } from './post.md?narrate'`. @default none */
  readonly transcript?: string | undefined
  /** When the page was published. @default none */
  readonly date?: Date | undefined
}

/** An `AudioObject` of schema.org. */
export interface AudioObject {
  /** The vocabulary, always schema.org. */
  readonly '@context': 'https://schema.org'
  /** The type in that vocabulary. */
  readonly '@type': 'AudioObject'
  /** Name of the audio: the option `name`, else the title of the page. Absent without both. */
  readonly name?: string
  /** Absolute address of the audio. */
  readonly contentUrl: string
  /** MIME type of the audio, e.g. `audio/mpeg`. */
  readonly encodingFormat: string
  /** Length in whole seconds, as ISO 8601, e.g. `PT1M5S`. Absent in dev before the first play. */
  readonly duration?: string
  /** Size of the audio in bytes, as decimal digits. Absent in dev before the first play. */
  readonly contentSize?: string
  /** Language of the page, a BCP 47 tag. Absent where the page does not say. */
  readonly inLanguage?: string
  /** What is said, if the option `transcript` was given. */
  readonly transcript?: string
  /** When the page was published, as ISO 8601 in UTC. Absent without the option `date`. */
  readonly uploadDate?: string
  /** The captions. Absent for a recording, which has none. */
  readonly caption?: {
    /** The type in the vocabulary. */
    readonly '@type': 'MediaObject'
    /** Absolute address of the captions. */
    readonly contentUrl: string
    /** MIME type of the captions: `text/vtt`. */
    readonly encodingFormat: string
  }
}

/**
 * The JSON-LD of a narration; `undefined` for a page without audio.
 * @throws TypeError when `site` is not an absolute address
 * @example
 * `<script type="application/ld+json">${toJsonLd(audioObject(post, { site: 'https://blog.example' }))}</script>`
 */
export function audioObject(
  { src, type, title, durationSeconds, bytes, language, captions }: Narration,
  { site, name = title, transcript, date }: AudioObjectOptions,
): AudioObject | undefined {
  if (src === '') return undefined
  return {
    '@context': 'https://schema.org',
    '@type': 'AudioObject',
    ...(name === undefined ? {} : { name }),
    contentUrl: absolute(src, site),
    encodingFormat: type,
    ...(durationSeconds === undefined ? {} : { duration: isoDuration(durationSeconds) }),
    ...(bytes === undefined ? {} : { contentSize: String(bytes) }),
    ...(language === undefined ? {} : { inLanguage: language }),
    ...(transcript === undefined ? {} : { transcript }),
    ...(date === undefined ? {} : { uploadDate: date.toISOString() }),
    ...(captions === ''
      ? {}
      : { caption: { '@type': 'MediaObject', contentUrl: absolute(captions, site), encodingFormat: 'text/vtt' } }),
  }
}

/** JSON for a `<script>` element: no text in it can end the element. Empty for `undefined`. */
export function toJsonLd(value: object | undefined): string {
  return value === undefined ? '' : JSON.stringify(value).replaceAll('<', String.raw`\u003c`)
}

/** A length as ISO 8601 in whole seconds, e.g. `PT1H0M5S`. */
function isoDuration(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return `PT${hours > 0 ? `${hours}H` : ''}${hours + minutes > 0 ? `${minutes}M` : ''}${whole % 60}S`
}

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
