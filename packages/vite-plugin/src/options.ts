import type { AigcMetadata, Open, SpeechModel } from '@svc-audio/core/interface'
import type { PureAudioClient } from '@svc-audio/core'
import type { LexiconEntries } from '@svc-audio/text'
import type { SpokenTextOptions } from '@svc-audio/text/sentences'
import type { NarrationFormat } from './audio/formats.ts'
import type { Encode } from './narrator/encoder.ts'
import type { NarrationMode } from './narrator/narrator.ts'
import type { ListSegments, SegmentBy } from './source/segments.ts'
import type { SourceKinds } from './source/source-kind.ts'

/** What may differ from file to file; see {@link NarrationOptions.defaults}. */
export interface FileDefaults {
  /** The voice. @default as {@link NarrationOptions.voice_id} and `voices` say */
  readonly voice_id?: string | undefined
  /** The model that speaks. @default that of the options */
  readonly model?: Open<SpeechModel> | undefined
  /** Format of the audio. @default that of the options */
  readonly response_format?: NarrationFormat | undefined
  /** Language of the text, e.g. `de-AT`. */
  readonly language?: string | undefined
  /** No narration for this file. */
  readonly skip?: boolean | undefined
}

/** What happens in a build when a narration fails: see {@link NarrationOptions.onFailure}. */
export type FailurePolicy = 'error' | 'warn' | 'stale'

/** Options of {@link narration}. */
export interface NarrationOptions {
  /**
   * A client of your own, which stays yours to close.
   * @default one made from `apiKey` and `baseUrl`
   */
  readonly client?: PureAudioClient | undefined
  /**
   * The bearer key. It is needed when audio is made, not for what is cached, and never reaches a bundle.
   * @default `SVC_AUDIO_API_KEY` of the environment or of Vite's `.env` files
   */
  readonly apiKey?: string | undefined
  /**
   * Address of the service, e.g. `http://127.0.0.1:8787`. It is needed when audio is made.
   * @default `SVC_AUDIO_BASE_URL` of the environment or of Vite's `.env` files
   */
  readonly baseUrl?: string | undefined
  /**
   * Name of the service in the cache. Set it when two services have different voices by the same id.
   * @default none: audio of every service is the same
   */
  readonly endpoint?: string | undefined
  /** The voice. Front matter, an import and `defaults` override it. */
  readonly voice_id: string
  /**
   * Voices by language of the page, e.g. `{ de: 'anna', 'en-GB': 'rms' }`. Text in another language (`<i lang="de">`) has
   * the voice of that language too.
   * @default `voice_id` for all
   */
  readonly voices?: Readonly<Record<string, string>> | undefined
  /** The model that speaks. @default 'svc-tts-1.5-flash' */
  readonly model?: Open<SpeechModel> | undefined
  /**
   * Format of the audio. `mp3` plays in all players. `opus` has a third of its size and one
   * loudness. `flac` and `wav` have one loudness and take 2.5 and 4 times the size of `mp3`.
   * @default 'mp3'
   */
  readonly response_format?: NarrationFormat | undefined
  /** Language of the texts, where a page does not say. @default none */
  readonly language?: string | undefined
  /** Marks the files as generated, in their metadata. @default nothing is written */
  readonly aigc_metadata?: AigcMetadata | undefined
  /** Respells terms by language, e.g. `{ '*': { nginx: 'engine x' } }`. Captions keep what was written. @default none */
  readonly lexicon?: LexiconEntries | undefined
  /**
   * How tables, images, code, formulas, footnotes and components are spoken. A change costs the calls of the parts that it
   * touches.
   * @default those of `readMarkdown` in `@svc-audio/text`
   * @example { tables: 'labelled', footnotes: 'read', props: { Figure: ['caption'] } }
   */
  readonly text?: SpokenTextOptions | undefined
  /**
   * How files with other extensions are read, e.g. `{ '.page': 'html' }`.
   * @default .md, .markdown and .mdoc as Markdown, .mdx and .svx as MDX, .html and .htm, and .txt
   */
  readonly extensions?: SourceKinds | undefined
  /** Whether each item of a list is a call, or the list is one. @default 'items' */
  readonly lists?: ListSegments | undefined
  /** What one call speaks. A change costs the calls of the parts that it touches. @default 'paragraph' */
  readonly segmentBy?: SegmentBy | undefined
  /** Silence between two segments, 0 to 10 seconds. @default 0.5 */
  readonly gapSeconds?: number | undefined
  /**
   * Loudness of a page whose segments are WAV (`opus`, `flac`, `wav` and an `encoder`), in LUFS, as EBU R 128 measures it: -40 to
   * -5. `'service'` keeps that of the service. Segments of other formats keep it always.
   * @default -16, what podcast directories ask for
   */
  readonly loudness?: number | 'service' | undefined
  /**
   * Makes the audio of a page from WAV: `'ffmpeg'` runs the program on PATH; or a function of your own.
   * @default segments are joined without encoding them again
   */
  readonly encoder?: 'ffmpeg' | Encode | undefined
  /** Files that `virtual:narrations` lists, as globs from Vite's root. A leading `!` excludes. @default none */
  readonly include?: string | readonly string[] | undefined
  /**
   * Pages of the site, as globs from Vite's root: `narrationFor` of `virtual:narrations/pages` finds them by file or route.
   * A leading `!` excludes. A build that imports that module narrates all of them.
   * @default none
   */
  readonly pages?: string | readonly string[] | undefined
  /** Files that `include` and `pages` omit, as globs from Vite's root. @default none */
  readonly exclude?: string | readonly string[] | undefined
  /**
   * What differs from file to file; front matter and the import come before it.
   * @example (file) => (file.startsWith('de/') ? { voice_id: 'anna', language: 'de' } : undefined)
   */
  readonly defaults?:
    | ((file: string, frontMatter: Readonly<Record<string, unknown>>) => FileDefaults | undefined)
    | undefined
  /**
   * Folder for finished audio, relative to Vite's root. Commit one of your own, and a build elsewhere makes no call and
   * needs no key.
   * @default 'node_modules/.cache/svc-audio' beside the nearest package.json
   */
  readonly cacheDir?: string | undefined
  /**
   * Whether a build that succeeds removes stale entries from the cache: audio of its own sources that it does not use,
   * and audio of sources that no longer exist. A build of several environments collects after the last one. A watched build
   * and a dry run remove nothing.
   * @default false
   */
  readonly collect?: boolean | undefined
  /**
   * `auto` makes what the cache has not. `cache-only` never calls: a missing narration fails the build. `dry-run` tells
   * what a build would cost, and makes a build without the missing audio. `refresh` makes all of it again, each segment once per process.
   * @default 'auto'
   */
  readonly mode?: NarrationMode | undefined
  /**
   * Maximum characters that one build may send to the service, over all its environments, checked before the first call.
   * @default none: a build that would send over 50,000 characters fails and names the size
   */
  readonly maxCharacters?: number | undefined
  /**
   * File that a build writes, relative to Vite's root: each page with its length, size and calls, also those in the cache.
   * `svc-audio-narration diff` compares two.
   * @default none
   */
  readonly report?: string | undefined
  /** What a million characters cost, for the estimate, in whatever currency. @default no estimate */
  readonly pricePerMillion?: number | undefined
  /**
   * What a build does when a narration fails: `error` fails it. `warn` continues without that audio. `stale` continues with
   * the audio that the same file had last, if there is one.
   * @default 'error'
   */
  readonly onFailure?: FailurePolicy | undefined
  /**
   * `copy` hands the bundler a small stand-in, and copies the audio over it once the bundle is written. `bundle` hands
   * the bundler the audio, which it holds in memory: for plugins that read assets before they are written. A build with
   * `write: false` always bundles.
   * @default 'copy'
   */
  readonly emit?: 'bundle' | 'copy' | undefined
  /** Maximum calls at once. @default 2 */
  readonly concurrency?: number | undefined
  /** Deadline for one call, in milliseconds. @default none */
  readonly timeout?: number | undefined
}
