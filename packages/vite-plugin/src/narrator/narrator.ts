import { existsSync } from 'node:fs'
import { createSemaphore, type Semaphore } from '@svc-audio/core'
import { readWav } from '@svc-audio/core/audio'
import { checkFfmpeg, type Encode, ffmpeg, FORMATS, joinPage, type PieceEdges } from '../audio/index.ts'
import { CutAudioError, MissingNarrationError, UnreadableAudioError, writingTo } from '../errors.ts'
import {
  characters,
  edgesOf,
  isOnePiece,
  type NarrationScript,
  pageKey,
  type ScriptSegment,
  segmentKey,
  voiceOf,
} from '../script.ts'
import type { WarmNotes } from '../warm-notes.ts'
import { type CachedAudio, type NarratedPage, NarrationCache, pageOf } from './cache.ts'
import { type OnRepeat, Service, type ServiceOptions } from './service.ts'
import { type Caller, locked, SharedWork, type Work } from './shared-work.ts'

export { LOCAL_VOICE, LocalService } from './local-service.ts'
export { type LatestPage, type NarratedPage, type NarrationCache, parseFileName } from './cache.ts'

/** When a narrator calls the service. `cache-only` makes no call. `refresh` makes cached audio again. */
export type NarrationMode = 'auto' | 'cache-only' | 'dry-run' | 'refresh'

/** Options of {@link Narrator}, resolved from the plugin's options. */
export interface NarratorOptions extends ServiceOptions {
  /** Folder of the cache, absolute. */
  readonly cacheDir: string
  /** Maximum parallel calls. */
  readonly concurrency: number
  readonly mode: NarrationMode
  readonly encode: Encode | undefined
}

/** A call that a page needs: its key, and the characters that it sends. */
export interface PlannedCall {
  readonly key: string
  readonly characters: number
}

/** Runs after each call of a page. */
export type OnSpoken = (segment: ScriptSegment) => void

/** Shared by every narrator of this process: two builds that need the same audio make one call. */
const inFlight = new SharedWork<CachedAudio>()

/**
 * Segments that `refresh` has made in this process, by folder and key. Environments are often built one after the other,
 * each with a narrator: the second build takes the audio of the first.
 */
const refreshed = new Set<string>()

/** Gets the audio of pages: from the cache, from a call in flight, or from the service. Independent of a bundler. */
export class Narrator {
  readonly cache: NarrationCache
  readonly notes: WarmNotes
  readonly #options: NarratorOptions
  readonly #service: Service
  readonly #semaphore: Semaphore
  readonly #calls = new Set<Promise<unknown>>()
  #onRepeat: OnRepeat = () => undefined

  /** @param notes Notes about unchanged audio. The narrator saves them when it is closed. */
  constructor(options: NarratorOptions, notes: WarmNotes) {
    this.#options = options
    this.notes = notes
    this.cache = new NarrationCache(options.cacheDir, notes)
    this.#service = new Service(options, (fault) => this.#onRepeat(fault))
    this.#semaphore = createSemaphore(options.concurrency)
  }

  /** Sets who hears of each call that is repeated. */
  set onRepeat(listener: OnRepeat) {
    this.#onRepeat = listener
  }

  /** A page's audio if it needs no call. Joins cached pieces. */
  async cached(script: NarrationScript): Promise<NarratedPage | undefined> {
    if (!script.segments.every((segment) => this.#mayReuse(segmentKey(script, segment)))) return undefined
    const page = await this.cache.page(script)
    if (page !== undefined) return page
    const calls = await this.callsOf(script)
    if (calls.length > 0) return undefined
    const caller = { scope: new AbortController().signal }
    return this.#join(script, await Promise.all(script.segments.map((segment) => this.piece(script, segment, caller))))
  }

  /** The calls that a page needs: its missing segments, each text once. Makes no call. */
  async callsOf(script: NarrationScript): Promise<readonly PlannedCall[]> {
    const missing = new Map<string, PlannedCall>()
    for (const segment of script.segments) {
      if ((await this.#reuse(script, segment)) !== undefined) continue
      const key = segmentKey(script, segment)
      missing.set(key, { key, characters: characters(segment.spoken) })
    }
    return [...missing.values()]
  }

  /**
   * Checks that audio can be made: the key, the address and ffmpeg. A mode without calls needs none of them.
   * @throws ConfigurationError without a key or an address
   * @throws LocalServiceError if the service of this machine does not start
   * @throws EncoderError without ffmpeg
   */
  async check(): Promise<void> {
    if (!this.#mayCall) return
    await this.#service.check()
    if (this.#options.encode === ffmpeg) await checkFfmpeg()
  }

  /**
   * The audio of a page.
   * @throws MissingNarrationError when a call is needed and the mode allows none
   * @throws ConfigurationError when a call is needed without a key or an address
   * @throws the client's errors, UnreadableAudioError, UnjoinableError, EncoderError, or the reason of the caller's signals
   */
  async narrate(script: NarrationScript, caller: Caller, onSpoken?: OnSpoken): Promise<NarratedPage> {
    const cached = await this.cached(script)
    if (cached !== undefined) return cached
    await this.check()
    const pieces = await Promise.all(script.segments.map((segment) => this.piece(script, segment, caller, onSpoken)))
    return this.#join(script, pieces)
  }

  /**
   * The audio of one segment.
   * @throws the errors of {@link Narrator.narrate}
   */
  piece(script: NarrationScript, segment: ScriptSegment, caller: Caller, onSpoken?: OnSpoken): Promise<CachedAudio> {
    const key = segmentKey(script, segment)
    return inFlight.run(this.#name(key), caller, async (work) => {
      // No await before the queue, so that segments queue in their order.
      if (!this.#mayCall || existsSync(this.cache.path(key, 'json'))) {
        const cached = await this.#reuse(script, segment)
        if (cached !== undefined) return cached
      }
      if (!this.#mayCall) throw new MissingNarrationError(script.source, segment.written)
      return this.#limit(work.signal, () =>
        // Another process may have made the call in the meantime.
        writingTo(this.cache.folder, () =>
          locked(
            this.cache.path(key, 'lock'),
            work.signal,
            async () => (await this.#reuse(script, segment)) ?? this.#speak(script, segment, work, onSpoken),
          ),
        ),
      )
    })
  }

  /** Closes the connections after the calls in flight. The narrator can be used again afterwards. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#calls)
    this.notes.save()
    await this.#service.close()
  }

  /** Runs a call when the semaphore admits it. Rejects with the signal's reason after an abort. */
  async #limit<Result>(signal: AbortSignal, call: () => Promise<Result>): Promise<Result> {
    const release = await this.#semaphore.acquire(signal)
    const running = call()
    this.#calls.add(running)
    try {
      return await running
    } finally {
      this.#calls.delete(running)
      // Release one turn later, so that a caller that sees a failure can abort queued calls.
      setImmediate(release)
    }
  }

  /** Makes the call, and stores its audio. */
  async #speak(
    script: NarrationScript,
    segment: ScriptSegment,
    work: Work,
    onSpoken: OnSpoken | undefined,
  ): Promise<CachedAudio> {
    work.started()
    const voice = voiceOf(script, segment)
    const { pieceFormat } = voice
    const { audio, contentType } = await this.#service.speak(voice, segment.spoken, work.signal)
    const durationSeconds = FORMATS[pieceFormat].seconds(audio)
    if (durationSeconds === undefined) throw new UnreadableAudioError(pieceFormat, contentType)
    const missingBytes = pieceFormat === 'wav' ? (readWav(audio)?.missingBytes ?? 0) : 0
    if (missingBytes > 0) throw new CutAudioError(missingBytes)
    const made = await this.cache.storePiece(voice, segment.spoken, script.source, { audio, durationSeconds })
    if (this.#options.mode === 'refresh') refreshed.add(this.#name(segmentKey(script, segment)))
    onSpoken?.(segment)
    return made
  }

  async #join(script: NarrationScript, pieces: readonly CachedAudio[]): Promise<NarratedPage> {
    const { voice, format, segments } = script
    const [only] = pieces
    if (only !== undefined && isOnePiece(script)) return pageOf(pageKey(script), only)
    const options = { ...script, pieceFormat: voice.pieceFormat, encode: this.#options.encode }
    const { audio, places } = await joinPage(partsOf(pieces, segments), options)
    const durationSeconds = FORMATS[format].seconds(audio)
    if (durationSeconds === undefined) throw new UnreadableAudioError(format, FORMATS[format].type)
    return this.cache.storePage(script, { audio, durationSeconds, places })
  }

  async #reuse(script: NarrationScript, segment: ScriptSegment): Promise<CachedAudio | undefined> {
    if (!this.#mayReuse(segmentKey(script, segment))) return undefined
    return this.cache.piece(voiceOf(script, segment), segment.spoken)
  }

  get #mayCall(): boolean {
    return this.#options.mode !== 'cache-only' && this.#options.mode !== 'dry-run'
  }

  #mayReuse(key: string): boolean {
    return this.#options.mode !== 'refresh' || refreshed.has(this.#name(key))
  }

  /** The name of a segment among all caches of the process. */
  #name(key: string): string {
    return `${this.cache.folder}\0${key}`
  }
}

/** Pieces with their edges. Each is read when it is joined. */
function* partsOf(
  pieces: readonly CachedAudio[],
  segments: readonly ScriptSegment[],
): Generator<{ readonly audio: Uint8Array; readonly edges: PieceEdges }, void, undefined> {
  for (const [index, { audio }] of pieces.entries()) yield { audio: audio(), edges: edgesOf(segments, index) }
}
