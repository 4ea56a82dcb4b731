import { dirname, resolve } from 'node:path'
import type { SpeakableBlock } from '@svc-audio/text'
import { createLexicon, type Lexicon } from '@svc-audio/text/sentences'
import { type NarrationFormat, pieceFormatOf } from '../audio/index.ts'
import { InvalidNarrationError } from '../errors.ts'
import { faultInDefaults, type NarrationOptions } from '../options.ts'
import { LOCAL_VOICE, type LocalService } from '../narrator/narrator.ts'
import { characters, type NarrationScript, type ScriptSegment, type VoiceSettings } from '../script.ts'
import type { WarmNotes } from '../warm-notes.ts'
import { readDocument } from './document.ts'
import { parseNarrationRequest, readFrontMatter } from './page-options.ts'
import { type LanguageVoice, toSegments } from './segments.ts'

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
  /** Identifies the page in a feed, whatever its file is called. */
  readonly guid: string | undefined
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
  readonly #local: LocalService | undefined
  readonly #lexicon: Lexicon | undefined

  /** @param local The service of this machine, if the options ask for it. */
  constructor(options: NarrationOptions, local?: LocalService) {
    this.#options = options
    this.#local = local
    this.#lexicon = options.lexicon === undefined ? undefined : createLexicon(options.lexicon)
  }

  /**
   * Reads a source. Options of the import override front matter, which overrides `defaults` and the other options.
   * @param file Absolute path of the source.
   * @param query Query of the import.
   * @param source Path of the source, relative to the site.
   * @param content Content of the source.
   * @param notes Documents that were read before. Without notes the content is parsed.
   * @throws InvalidNarrationError for a file that cannot be read aloud, for options that do not exist, for an invalid field of
   * the front matter, and for an invalid result of `defaults`
   */
  async read(
    { file, query, source }: { readonly file: string; readonly query: string; readonly source: string },
    content: () => string | Promise<string>,
    notes?: WarmNotes,
  ): Promise<Page> {
    const options = this.#options
    const { encoder, gapSeconds = 0.5, loudness = DEFAULT_LOUDNESS, segmentBy = 'paragraph', lists } = options
    const request = parseNarrationRequest(file, query, options.extensions)
    const document = await readDocument(await content(), request.kind, options.text, notes)
    const matter = readFrontMatter(document.frontMatter)
    const own = options.defaults?.(source, document.frontMatter) ?? {}
    const wrong = faultInDefaults(own)
    if (wrong !== undefined) throw new InvalidNarrationError(wrong)
    const language = matter.language ?? document.language ?? own.language ?? options.language
    const format =
      request.response_format ??
      matter.response_format ??
      own.response_format ??
      options.response_format ??
      DEFAULT_FORMAT
    const voiceId = request.voice_id ?? matter.voice_id ?? own.voice_id ?? this.#ownVoice(language) ?? this.#voiceId
    const model = request.model ?? matter.model ?? own.model ?? options.model ?? DEFAULT_MODEL
    const voice = this.#voice(model, voiceId, pieceFormatOf(format, encoder !== undefined), language)
    const segments = toSegments(withTitle(document.blocks, matter.title), {
      segmentBy,
      lexicon: this.#lexiconOf(matter.pronunciations),
      language,
      lists,
      voiceOf: (tag) => this.#otherVoice(voice, tag),
    })
    const isSkipped = matter.skip || own.skip === true
    const recording = isSkipped || matter.audio === undefined ? undefined : resolve(dirname(file), matter.audio)
    const script: NarrationScript = {
      voice,
      format,
      segments,
      gapSeconds,
      // The loudness of other formats cannot change without decoding them.
      loudness: voice.pieceFormat === 'wav' && loudness !== 'service' ? loudness : undefined,
      language,
      encoder: encoder === undefined ? undefined : encoder === 'ffmpeg' ? 'ffmpeg' : 'function',
      source,
    }
    return {
      source,
      title: matter.title ?? document.title,
      guid: matter.guid,
      language,
      text: textOf(segments),
      characters: segments.reduce((sum, { spoken }) => sum + characters(spoken), 0),
      problems: [
        ...matter.problems.map((message) => `${source}: ${message}`),
        ...document.problems.map(({ line, message }) => `${source}:${line}: ${message}`),
      ],
      script: isSkipped || segments.length === 0 || recording !== undefined ? undefined : script,
      recording,
    }
  }

  /** The voice of texts that name none. */
  get #voiceId(): string {
    // Without either, the options were refused.
    return this.#options.voice_id ?? LOCAL_VOICE
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
    const { endpoint = this.#local?.endpoint, aigc_metadata } = this.#options
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
