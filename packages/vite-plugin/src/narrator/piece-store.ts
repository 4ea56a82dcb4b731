import { createHash } from 'node:crypto'
import { FORMATS, type NarrationFormat } from '../audio/formats.ts'
import { type CachedAudio, NarrationCache } from './cache.ts'
import { type VoiceSettings, pageKey, pieceKey, type NarrationScript, segmentKey, wholeText } from './script.ts'
import type { WarmNotes } from './warm-notes.ts'

/** The audio of segments and of pages. Entries are found by key, then by the facts in their JSON. */
export class PieceStore {
  readonly cache: NarrationCache
  /** Keys of entries by text and voice. Read once, when an entry is first missing. */
  #index: Promise<ReadonlyMap<string, string>> | undefined

  constructor(folder: string, notes: WarmNotes) {
    this.cache = new NarrationCache(folder, notes)
  }

  /** The audio of a piece, or `undefined`. */
  async piece(voice: VoiceSettings, spoken: string): Promise<CachedAudio | undefined> {
    const key = pieceKey(voice, spoken)
    return (await this.cache.read(key, voice.pieceFormat)) ?? this.#older(voice, spoken, key)
  }

  /** The joined audio of a page, or `undefined`. Pages without places are left to {@link PieceStore.wholePage}. */
  async page(script: NarrationScript): Promise<CachedAudio | undefined> {
    const key = pageKey(script)
    const found = await this.cache.known(key, script.format)
    const [first] = script.segments
    const isPiece = first !== undefined && key === segmentKey(script, first)
    if (found !== undefined && (isPiece || found.sidecar.places?.length === script.segments.length)) return found
    return undefined
  }

  /**
   * A page that an older version spoke in one call, in the format of the page. Entries that name their source are newer and
   * hold segments.
   */
  async wholePage(script: NarrationScript): Promise<{ readonly key: string; readonly audio: CachedAudio } | undefined> {
    if (script.encoder !== undefined || script.segments.some(({ voice }) => voice !== undefined)) return undefined
    const text = wholeText(script)
    const { voice, format } = script
    const spoken = voice.pieceFormat === format ? voice : { ...voice, pieceFormat: format, language: undefined }
    const key = pieceKey(spoken, text)
    const audio = (await this.cache.read(key, format)) ?? (await this.#older(spoken, text, key))
    return audio === undefined || audio.sidecar.facts['source'] !== undefined ? undefined : { key, audio }
  }

  /** Whether the cache has a segment. */
  async has(voice: VoiceSettings, spoken: string): Promise<boolean> {
    return (await this.piece(voice, spoken)) !== undefined
  }

  /** Stores a piece. */
  async store(
    voice: VoiceSettings,
    spoken: string,
    audio: Uint8Array,
    seconds: number,
    source: string,
  ): Promise<CachedAudio> {
    const { endpoint, model, voice_id, pieceFormat, aigc_metadata, language } = voice
    // The request is stored beside the audio, without the address: the folder may be published.
    const facts = {
      source,
      endpoint,
      model,
      voice_id,
      response_format: pieceFormat,
      aigc_metadata,
      language,
      input: spoken,
    }
    return this.cache.write(pieceKey(voice, spoken), pieceFormat, { audio, durationSeconds: seconds }, facts)
  }

  /** Finds an entry under the key of an older version, and stores it under the current key too. */
  async #older(voice: VoiceSettings, text: string, key: string): Promise<CachedAudio | undefined> {
    this.#index ??= this.#readIndex()
    const older = (await this.#index).get(contentOf(voice, text))
    if (older === undefined || older === key) return undefined
    const found = await this.cache.read(older, voice.pieceFormat)
    if (found === undefined) return undefined
    return this.cache.write(key, voice.pieceFormat, { ...found, audio: found.audio() }, found.sidecar.facts)
  }

  async #readIndex(): Promise<ReadonlyMap<string, string>> {
    const index = new Map<string, string>()
    for await (const [key, { facts }] of this.cache.entries()) {
      const { endpoint, model, voice_id, response_format, aigc_metadata, language, input } = facts
      if (typeof input !== 'string' || typeof model !== 'string' || typeof voice_id !== 'string') continue
      if (typeof response_format !== 'string' || !isFormat(response_format)) continue
      const voice = {
        endpoint: typeof endpoint === 'string' ? endpoint : undefined,
        model,
        voice_id,
        pieceFormat: response_format,
        aigc_metadata: typeof aigc_metadata === 'object' && aigc_metadata !== null ? aigc_metadata : undefined,
        language: typeof language === 'string' ? language : undefined,
      }
      index.set(contentOf(voice, input), key)
    }
    return index
  }
}

function isFormat(name: string): name is NarrationFormat {
  return Object.hasOwn(FORMATS, name)
}

/** Identifies an entry independently of the layout of keys. */
function contentOf(voice: VoiceSettings, text: string): string {
  const { endpoint = '', model, voice_id, pieceFormat, aigc_metadata, language = '' } = voice
  const { enabled = false, content_propagator = '', propagate_id = '' } = aigc_metadata ?? {}
  const marking = enabled ? [content_propagator, propagate_id] : []
  const parts = [endpoint, model, voice_id, pieceFormat, marking, language, text]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
