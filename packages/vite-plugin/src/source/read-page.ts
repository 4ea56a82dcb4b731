import { dirname, resolve } from 'node:path'
import type { NarrationFormat } from '../audio/formats.ts'
import { faultInDefaults } from '../check-options.ts'
import { pieceFormatOf } from '../join/create-joiner.ts'
import { characters, type NarrationScript, type ScriptSegment, type VoiceSettings } from '../narrator/script.ts'
import type { NarrationOptions } from '../options.ts'
import { InvalidNarrationError } from '../request/invalid-narration-error.ts'
import { type NarrationRequest, parseNarrationRequest } from '../request/narration-request.ts'
import { readFrontMatter } from './front-matter.ts'
import type { SpeakableBlock, SpeakableDocument } from '@svc-audio/text'
import { createLexicon, type Lexicon } from '@svc-audio/text/sentences'
import { knownDocument } from './document-cache.ts'
import { readDocument } from './read-document.ts'
import type { WarmNotes } from '../narrator/warm-notes.ts'
import type { LanguageVoice } from './runs.ts'
import { toSegments } from './segments.ts'

/** Default model. */
const DEFAULT_MODEL = 'svc-tts-1.5-flash'
/** What podcast directories ask for, in LUFS. */
const DEFAULT_LOUDNESS = -16
/** Default format (docs/decisions/0017-narration-is-mp3.md). */
export const DEFAULT_FORMAT: NarrationFormat = 'mp3'
/** The model whose streams accept a language. */
const STREAMING_MODEL = 'svc-tts-1.5-flash'

/** A source, ready for narration. */
export interface Page {
  /** The source, relative to the site. */
  readonly source: string
  readonly title: string | undefined
  readonly language: string | undefined
  /** The spoken text as written. An empty line separates paragraphs. */
  readonly text: string
  /** Characters that are spoken. */
  readonly characters: number
  /** The script of the page; `undefined` for a skipped or empty page, and for a page with a recording. */
  readonly script: NarrationScript | undefined
  /** Parts that could not be read, one line each. */
  readonly problems: readonly string[]
  /** Absolute path of the recording that replaces synthesis. */
  readonly recording: string | undefined
}

/** Reads sources as pages, with the options of one plugin. */
export class PageReader {
  readonly #options: NarrationOptions
  readonly #lexicon: Lexicon | undefined

  constructor(options: NarrationOptions) {
    this.#options = options
    this.#lexicon = options.lexicon === undefined ? undefined : createLexicon(options.lexicon)
  }

  /**
   * The request of an import.
   * @throws InvalidNarrationError for a file that cannot be read aloud and for options that do not exist
   */
  request(file: string, query: string): NarrationRequest {
    return parseNarrationRequest(file, query, this.#options.extensions)
  }

  /**
   * Reads a source. Options of the import override front matter, which overrides `defaults` and the other options.
   * @param content Content of the source.
   * @param source Path of the source, relative to the site.
   * @param notes Documents that were read before. Without notes the content is parsed.
   * @throws InvalidNarrationError for an invalid field of the front matter, an invalid result of `defaults`, or a format that
   * cannot be joined
   */
  async read(request: NarrationRequest, content: string, source: string, notes?: WarmNotes): Promise<Page> {
    const { text } = this.#options
    const document = await (notes === undefined
      ? readDocument(content, request.kind, text)
      : knownDocument(content, request.kind, notes, text))
    return this.page(request, document, source)
  }

  /** As {@link PageReader.read}, for a parsed document. */
  page(request: NarrationRequest, document: SpeakableDocument, source: string): Page {
    const matter = readFrontMatter(document.frontMatter)
    const { defaults, language: siteLanguage } = this.#options
    const own = defaults?.(source, document.frontMatter) ?? {}
    const wrong = faultInDefaults(own)
    if (wrong !== undefined) throw new InvalidNarrationError(wrong)
    const language = matter.lang ?? document.language ?? own.language ?? siteLanguage
    const blocks = withTitle(document.blocks, matter.title)
    const segmentBy = this.#options.segmentBy ?? 'paragraph'
    const recording = matter.audio === undefined ? undefined : resolve(dirname(request.file), matter.audio)
    const format = request.format ?? own.response_format ?? this.#options.response_format ?? DEFAULT_FORMAT
    const voice = request.voice ?? matter.voice ?? own.voice_id ?? this.#voiceFor(language)
    const model = request.model ?? matter.model ?? own.model ?? this.#options.model ?? DEFAULT_MODEL
    const { encoder, gapSeconds = 0.5, loudness = DEFAULT_LOUDNESS } = this.#options
    const settings = this.#voice(model, voice, pieceFormatOf(format, encoder !== undefined), language)
    const segments = toSegments(blocks, {
      segmentBy,
      lexicon: this.#lexiconOf(matter.pronunciations),
      language,
      lists: this.#options.lists,
      voiceOf: (tag) => this.#otherVoice(settings, tag),
    })
    const isSilent = matter.skip || own.skip === true || segments.length === 0 || recording !== undefined
    const script: NarrationScript = {
      voice: settings,
      format,
      segments,
      gapSeconds,
      // The loudness of other formats cannot change without decoding them.
      loudness: settings.pieceFormat === 'wav' && loudness !== 'service' ? loudness : undefined,
      language,
      encoder: encoder === undefined ? undefined : encoder === 'ffmpeg' ? 'ffmpeg' : 'function',
      source,
    }
    return {
      source,
      title: matter.title ?? document.title,
      language,
      text: textOf(segments),
      characters: segments.reduce((sum, { spoken }) => sum + characters(spoken), 0),
      problems: document.problems.map(({ line, message }) => `${source}:${line}: ${message}`),
      script: isSilent ? undefined : script,
      recording: matter.skip || own.skip === true ? undefined : recording,
    }
  }

  #voiceFor(language: string | undefined): string {
    return this.#ownVoice(language) ?? this.#options.voice_id
  }

  /** The voice that `voices` has for a language. */
  #ownVoice(language: string | undefined): string | undefined {
    const { voices = {} } = this.#options
    const tag = language?.toLowerCase() ?? ''
    // The closest language first: en-GB before en.
    const fitting = Object.entries(voices)
      .filter(([name]) => tag === name.toLowerCase() || tag.startsWith(`${name.toLowerCase()}-`))
      .toSorted(([a], [b]) => b.length - a.length)
    return fitting[0]?.[1]
  }

  /** The voice of text in another language than its page. */
  #otherVoice({ model, voice_id, pieceFormat }: VoiceSettings, language: string): LanguageVoice | undefined {
    const own = this.#ownVoice(language)
    if (own === undefined || own === voice_id) return undefined
    return { voice_id: own, language, hint: this.#voice(model, own, pieceFormat, language).language }
  }

  /** The lexicon of a page: its own pronunciations come before those of the site. */
  #lexiconOf(pronunciations: Readonly<Record<string, string>> | undefined): Lexicon | undefined {
    if (pronunciations === undefined) return this.#lexicon
    const site = Object.entries(this.#options.lexicon ?? {})
    const entries = site.map(([language, terms]) => [language, { ...terms, ...pronunciations }])
    return createLexicon({ '*': pronunciations, ...Object.fromEntries(entries) })
  }

  #voice(model: string, voice_id: string, pieceFormat: NarrationFormat, language: string | undefined): VoiceSettings {
    const { endpoint, aigc_metadata } = this.#options
    const takesLanguage = pieceFormat === 'wav' && model === STREAMING_MODEL
    return { endpoint, model, voice_id, pieceFormat, aigc_metadata, language: takesLanguage ? language : undefined }
  }
}

/** The text as written: an empty line between paragraphs. */
function textOf(segments: readonly ScriptSegment[]): string {
  return segments
    .map(({ written, continues }, index) => (index === 0 ? '' : continues === true ? ' ' : '\n\n') + written)
    .join('')
}

/** Puts the title first, unless the page begins with it. */
function withTitle(blocks: readonly SpeakableBlock[], title: string | undefined): readonly SpeakableBlock[] {
  if (title === undefined) return blocks
  const [first] = blocks
  if (first !== undefined && plain(first.text) === plain(title)) return blocks
  return [{ kind: 'heading', level: 1, text: /[\p{P}\p{S}]$/u.test(title) ? title : `${title}.` }, ...blocks]
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
