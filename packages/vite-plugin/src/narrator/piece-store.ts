import { type CachedAudio, NarrationCache } from './cache.ts'
import { type VoiceSettings, pageKey, pieceKey, type NarrationScript, segmentKey } from './script.ts'
import type { WarmNotes } from './warm-notes.ts'

/** The audio of segments and of pages. */
export class PieceStore {
  readonly cache: NarrationCache

  constructor(folder: string, notes: WarmNotes) {
    this.cache = new NarrationCache(folder, notes)
  }

  /** The audio of a piece, or `undefined`. */
  async piece(voice: VoiceSettings, spoken: string): Promise<CachedAudio | undefined> {
    return this.cache.read(pieceKey(voice, spoken), voice.pieceFormat)
  }

  /** The joined audio of a page, or `undefined`. A page that has lost its places is joined again. */
  async page(script: NarrationScript): Promise<CachedAudio | undefined> {
    const key = pageKey(script)
    const found = await this.cache.known(key, script.format)
    const [first] = script.segments
    const isPiece = first !== undefined && key === segmentKey(script, first)
    if (found !== undefined && (isPiece || found.sidecar.places?.length === script.segments.length)) return found
    return undefined
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
}
