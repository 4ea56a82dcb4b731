import { basename, dirname, resolve } from 'node:path'
import { ConfigurationError, type PureAudioClient } from '@svc-audio/core'
import type { AigcMetadata, Open, SpeechModel } from '@svc-audio/core/interface'
import {
  callback,
  describeFault,
  fields,
  findOptionFault,
  flag,
  integer,
  object,
  oneOf,
  optional,
  type OptionRule,
  positive,
  secret,
  text,
} from '#options'
import type { LexiconEntries } from '@svc-audio/text'
import { checkSpokenText, createLexicon, type SpokenTextOptions, TextOptionError } from '@svc-audio/text/sentences'
import { loadEnv, type ResolvedConfig } from 'vite'
import { type Encode, ffmpeg, FORMATS, type NarrationFormat } from './audio/index.ts'
import type { LocalService, NarrationMode, NarratorOptions } from './narrator/narrator.ts'

/** How a page is divided into calls. */
export type SegmentBy = 'sentence' | 'paragraph' | 'section' | 'page'

/** Whether the items of a list are one call each, or the list is one. */
export type ListSegments = 'items' | 'together'

/** Kinds of source that can be read. */
export type SourceKind = 'markdown' | 'mdx' | 'html' | 'plain'

/** Kinds by the extension of files, with its dot. */
export type SourceKinds = Readonly<Record<string, SourceKind>>

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
  /**
   * `'local'`: the package `@svc-audio/service` of this project speaks. It is started for the first call, on a free port, with
   * a key and a data folder of its own, and stopped at the end. No account and no key is needed.
   * @default the service at `baseUrl`
   */
  readonly service?: 'local' | undefined
  /** The voice. Front matter, an import and `defaults` override it. @default `joe` with `service: 'local'`; else required */
  readonly voice_id?: string | undefined
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
   * @default none: a build that would send over 50,000 characters fails and names the size, except with `service: 'local'`
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
  /**
   * Longest wait for the service, in milliseconds: for its answer, and for the next part of it. Then the call is repeated,
   * up to four times. The self-hosted service replays what it has already made; one without `Idempotency-Key` may bill it
   * again. A `client` of your own has it as the deadline of the whole call.
   * @default 120000; 900000 with `service: 'local'`; none for a `client` of your own
   */
  readonly timeout?: number | undefined
}

const globs: OptionRule = (value) =>
  [value].flat().every((one) => text(one) === undefined) ? undefined : 'must be a glob, or a list of globs'
const texts: OptionRule = (value) =>
  object(value) ??
  (Object.values(value ?? {}).some((one) => text(one) !== undefined)
    ? 'must hold a voice id for each language'
    : undefined)
const KINDS = oneOf(['markdown', 'mdx', 'html', 'plain'])
const lexicon: OptionRule = (value) => {
  const isEntries =
    object(value) === undefined && Object.values(value ?? {}).every((terms) => texts(terms) === undefined)
  return isEntries ? undefined : "must be respellings by language, e.g. { '*': { nginx: 'engine x' } }"
}

/** Every option by its name. */
const RULES: Readonly<Record<keyof NarrationOptions, OptionRule>> = {
  client: object,
  apiKey: secret,
  baseUrl: text,
  endpoint: text,
  service: oneOf(['local']),
  voice_id: text,
  voices: texts,
  model: text,
  response_format: oneOf(Object.keys(FORMATS)),
  language: text,
  aigc_metadata: fields({ enabled: optional(flag), content_propagator: optional(text), propagate_id: optional(text) }),
  lexicon,
  text: object,
  extensions: (value) => {
    const isKinds =
      object(value) === undefined &&
      Object.entries(value ?? {}).every(([name, kind]) => /^\.[^/\\]+$/.test(name) && KINDS(kind) === undefined)
    return isKinds ? undefined : "must be 'markdown', 'mdx', 'html' or 'plain' by extension, e.g. { '.page': 'html' }"
  },
  lists: oneOf(['items', 'together']),
  segmentBy: oneOf(['sentence', 'paragraph', 'section', 'page']),
  gapSeconds: (value) =>
    typeof value === 'number' && value >= 0 && value <= 10 ? undefined : 'must be a number of seconds from 0 to 10',
  loudness: (value) =>
    value === 'service' || (typeof value === 'number' && value >= -40 && value <= -5)
      ? undefined
      : "must be a number of LUFS from -40 to -5, or 'service'",
  encoder: (value) =>
    value === 'ffmpeg' || typeof value === 'function' ? undefined : "must be 'ffmpeg' or a function",
  include: globs,
  pages: globs,
  exclude: globs,
  defaults: callback,
  cacheDir: text,
  collect: flag,
  mode: oneOf(['auto', 'cache-only', 'dry-run', 'refresh']),
  maxCharacters: integer(1),
  pricePerMillion: positive('a currency'),
  report: text,
  onFailure: oneOf(['error', 'warn', 'stale']),
  emit: oneOf(['bundle', 'copy']),
  concurrency: integer(1),
  timeout: positive('milliseconds'),
}

const OPTIONAL_RULES = Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, optional(rule)]))

/**
 * Checks what does not depend on Vite.
 * @throws ConfigurationError naming the option, also one that does not exist
 */
export function checkOptions(options: NarrationOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError(
      "narration() needs options: narration({ service: 'local' }) or narration({ voice_id: '…' })",
    )
  }
  const found = findOptionFault(options, OPTIONAL_RULES, 'narration()')
  if (found !== undefined) throw new ConfigurationError(found.message)
  if (options.voice_id === undefined && options.service === undefined) {
    throw new ConfigurationError(
      "narration(): voice_id is missing: name the voice that reads, or set service: 'local', whose voice is joe",
    )
  }
  const other = (['client', 'apiKey', 'baseUrl'] as const).find((name) => options[name] !== undefined)
  if (options.service !== undefined && other !== undefined) {
    throw new ConfigurationError(
      `narration(): service: 'local' starts a service of its own: remove ${other}, or remove service`,
    )
  }
  if (options.lexicon !== undefined) createLexicon(options.lexicon)
  if (options.text !== undefined) checkText(options.text)
}

function checkText(spoken: object): void {
  try {
    checkSpokenText(spoken)
  } catch (error) {
    if (!TextOptionError.isInstance(error)) throw error
    throw new ConfigurationError(`narration(): in \`text\`: ${error.message}`, { cause: error })
  }
}

/** What {@link NarrationOptions.defaults} may give. */
const DEFAULTS_RULE = optional(
  fields({
    voice_id: optional(text),
    model: optional(text),
    response_format: optional(oneOf(Object.keys(FORMATS))),
    language: optional(text),
    skip: optional(flag),
  }),
)

/** What is wrong with what `defaults` gave for a file, in a sentence; `undefined` when nothing is. */
export function faultInDefaults(given: unknown): string | undefined {
  return describeFault('defaults()', DEFAULTS_RULE, given)
}

/** Default of `concurrency`. */
const DEFAULT_CONCURRENCY = 2

/** Options of the narrator, from the plugin's options, the environment and Vite's `.env` files. */
export function resolveSettings(
  options: NarrationOptions,
  config: ResolvedConfig,
  local: LocalService | undefined,
): NarratorOptions {
  const env = loadEnv(config.mode, config.envDir, 'SVC_AUDIO_')
  return {
    client: options.client,
    local,
    apiKey: options.apiKey ?? (env['SVC_AUDIO_API_KEY'] || undefined),
    baseUrl: options.baseUrl ?? (env['SVC_AUDIO_BASE_URL'] || undefined),
    cacheDir: cacheFolder(options.cacheDir, config),
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    timeout: options.timeout,
    mode: options.mode ?? 'auto',
    encode: options.encoder === 'ffmpeg' ? ffmpeg : options.encoder,
  }
}

/** Folder of the data of `service: 'local'`: beside the default cache, never in a folder that is committed. */
export function localServiceFolder(config: Pick<ResolvedConfig, 'root' | 'cacheDir'>): string {
  return `${cacheFolder(undefined, config)}-service`
}

/** File of the notes for warm builds, absolute. */
export function notesFile({ cacheDir }: Pick<ResolvedConfig, 'cacheDir'>): string {
  return resolve(cacheDir, 'svc-audio-narration.json')
}

/** Folder of the cache. The default is beside Vite's own cache, in `node_modules` of the nearest package. */
export function cacheFolder(folder: string | undefined, config: Pick<ResolvedConfig, 'root' | 'cacheDir'>): string {
  if (folder !== undefined) return resolve(config.root, folder)
  const nearest = dirname(config.cacheDir)
  const modules = basename(nearest) === 'node_modules' ? nearest : resolve(config.root, 'node_modules')
  return resolve(modules, '.cache', 'svc-audio')
}

/** Absolute path of the report of a build; `undefined` for none. */
export function reportPath({ report }: NarrationOptions, { root }: Pick<ResolvedConfig, 'root'>): string | undefined {
  return report === undefined ? undefined : resolve(root, report)
}
