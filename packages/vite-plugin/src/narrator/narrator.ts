import { existsSync } from 'node:fs'
import { createSemaphore, type Semaphore } from '@svc-audio/core'
import { FORMATS } from '../audio/formats.ts'
import { readWav } from '@svc-audio/core/audio'
import { createJoiner } from '../join/create-joiner.ts'
import { toLoudness } from '../join/loudness.ts'
import type { PieceEdges, Place } from '../join/joiner.ts'
import type { CachedAudio } from './cache.ts'
import { CutAudioError } from './cut-audio-error.ts'
import { encodeFlac } from '../flac/flac-file.ts'
import { encodeOpus } from '../opus/opus-file.ts'
import { checkFfmpeg, type Encode, encoded, ffmpeg } from './encoder.ts'
import { tryLock, untilNextLook } from './lock.ts'
import { MissingNarrationError } from './missing-narration-error.ts'
import { PieceStore } from './piece-store.ts'
import {
  characters,
  isOnePiece,
  type NarrationScript,
  pageKey,
  type ScriptSegment,
  segmentKey,
  voiceOf,
} from './script.ts'
import { Service, type ServiceOptions } from './service.ts'
import { type Caller, SharedWork, type Work } from './shared-work.ts'
import { UnreadableAudioError } from './unreadable-audio-error.ts'
import { WarmNotes } from './warm-notes.ts'
import { readerVersion } from '../source/document-cache.ts'

/** When a narrator calls the service. `cache-only` makes no call. `refresh` makes cached audio again. */
export type NarrationMode = 'auto' | 'cache-only' | 'dry-run' | 'refresh'

/** Options of {@link Narrator}, resolved from the plugin's options. */
export interface NarratorOptions extends ServiceOptions {
  /** Folder of the cache, absolute. */
  readonly cacheDir: string
  /** File of the notes for warm builds, absolute. */
  readonly notesFile: string
  /** Maximum parallel calls. */
  readonly concurrency: number
  readonly mode: NarrationMode
  readonly encode: Encode | undefined
}

/** The audio of a page. */
export interface NarratedPage extends Omit<CachedAudio, 'sidecar'> {
  /** Key of the cache entry that holds the audio. */
  readonly key: string
  /** Place of each segment. */
  readonly places: readonly Place[]
}

/** The calls that a page needs. */
export interface Estimate {
  /** Missing segments, each text once. */
  readonly missing: readonly { readonly key: string; readonly characters: number }[]
}

/** Runs after each call of a page. */
export type OnSpoken = (key: string, segment: ScriptSegment) => void

/** Shared by every narrator of this process: two builds that need the same audio make one call. */
const inFlight = new SharedWork<CachedAudio>()

/**
 * Segments that `refresh` has made in this process, by folder and key. Environments are often built one after the other,
 * each with a narrator: the second build takes the audio of the first.
 */
const refreshed = new Set<string>()

/** Gets the audio of pages: from the cache, from a call in flight, or from the service. Independent of a bundler. */
export class Narrator {
  readonly store: PieceStore
  readonly notes: WarmNotes
  readonly #options: NarratorOptions
  readonly #service: Service
  readonly #semaphore: Semaphore
  readonly #calls = new Set<Promise<unknown>>()

  constructor(options: NarratorOptions) {
    this.#options = options
    this.notes = new WarmNotes(options.notesFile, readerVersion())
    this.store = new PieceStore(options.cacheDir, this.notes)
    this.#service = new Service(options)
    this.#semaphore = createSemaphore(options.concurrency)
  }

  /** A page's audio if it needs no call. Joins cached pieces. */
  async cached(script: NarrationScript): Promise<NarratedPage | undefined> {
    if (!this.#isFresh(script)) return undefined
    const page = await this.store.page(script)
    if (page !== undefined) return toPage(script, page)
    const { missing } = await this.estimate(script)
    return missing.length === 0 ? this.#join(script, await this.#pieces(script)) : undefined
  }

  /** Counts the missing segments of a page. Makes no call. */
  async estimate(script: NarrationScript): Promise<Estimate> {
    const missing = new Map<string, number>()
    for (const segment of script.segments) {
      const key = segmentKey(script, segment)
      const isThere = this.#mayReuse(key) && (await this.store.has(voiceOf(script, segment), segment.spoken))
      if (!isThere) missing.set(key, characters(segment.spoken))
    }
    return { missing: [...missing].map(([key, count]) => ({ key, characters: count })) }
  }

  /**
   * Checks that audio can be made: the key, the address and ffmpeg. A mode without calls needs none of them.
   * @throws ConfigurationError without a key or an address
   * @throws EncoderError without ffmpeg
   */
  async check(): Promise<void> {
    const { mode, encode } = this.#options
    if (mode === 'cache-only' || mode === 'dry-run') return
    this.#service.check()
    if (encode === ffmpeg) await checkFfmpeg()
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
    const { source } = script
    const key = segmentKey(script, segment)
    return inFlight.run(this.#name(key), caller, async (work) => {
      // No await before the queue, so that segments queue in their order.
      if (existsSync(this.store.cache.path(key, 'json'))) {
        const cached = await this.#reuse(key, script, segment)
        if (cached !== undefined) return cached
      }
      if (this.#options.mode === 'cache-only' || this.#options.mode === 'dry-run') {
        const cached = await this.#reuse(key, script, segment)
        if (cached !== undefined) return cached
        throw new MissingNarrationError(source, segment.written)
      }
      return this.#limit(async () => {
        const call = this.#speakLocked(key, script, segment, work, onSpoken)
        this.#calls.add(call)
        return call.finally(() => this.#calls.delete(call))
      }, work.signal)
    })
  }

  /** Runs a call when the semaphore admits it. Rejects with the signal's reason after an abort. */
  async #limit<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const release = await this.#semaphore.acquire(signal)
    try {
      return await task()
    } finally {
      // Release one turn later, so that a caller that sees a failure can abort queued calls.
      setImmediate(release)
    }
  }

  /** Closes the connections after the calls in flight. The narrator can be used again afterwards. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#calls)
    this.notes.save()
    await this.#service.close()
  }

  /** Makes the call. Waits for the audio if another process makes the same call. */
  async #speakLocked(
    key: string,
    script: NarrationScript,
    segment: ScriptSegment,
    work: Work,
    onSpoken: OnSpoken | undefined,
  ): Promise<CachedAudio> {
    for (;;) {
      const release = await tryLock(this.store.cache.path(key, 'lock'))
      if (release !== undefined) {
        try {
          const cached = await this.#reuse(key, script, segment)
          if (cached !== undefined) return cached
          work.started()
          const made = await this.#speak(script, segment, work.signal)
          if (this.#options.mode === 'refresh') refreshed.add(this.#name(key))
          onSpoken?.(key, segment)
          return made
        } finally {
          await release()
        }
      }
      await untilNextLook(work.signal)
    }
  }

  async #speak(script: NarrationScript, segment: ScriptSegment, signal: AbortSignal): Promise<CachedAudio> {
    const { spoken } = segment
    const voice = voiceOf(script, segment)
    const { audio, contentType } = await this.#service.speak(voice, spoken, signal)
    const seconds = FORMATS[voice.pieceFormat].seconds(audio)
    if (seconds === undefined) throw new UnreadableAudioError(voice.pieceFormat, contentType)
    const missingBytes = voice.pieceFormat === 'wav' ? (readWav(audio)?.missingBytes ?? 0) : 0
    if (missingBytes > 0) throw new CutAudioError(missingBytes)
    return this.store.store(voice, spoken, audio, seconds, script.source)
  }

  async #reuse(key: string, script: NarrationScript, segment: ScriptSegment): Promise<CachedAudio | undefined> {
    return this.#mayReuse(key) ? this.store.piece(voiceOf(script, segment), segment.spoken) : undefined
  }

  #pieces(script: NarrationScript): Promise<CachedAudio[]> {
    const caller = { scope: new AbortController().signal }
    return Promise.all(script.segments.map((segment) => this.piece(script, segment, caller)))
  }

  async #join(script: NarrationScript, pieces: readonly CachedAudio[]): Promise<NarratedPage> {
    const { voice, format, segments, source } = script
    const [only] = pieces
    if (only !== undefined && isOnePiece(script)) return toPage(script, only)
    const joiner = createJoiner(voice.pieceFormat, script.gapSeconds)
    for (const [index, { audio }] of pieces.entries()) joiner.add(audio(), edgesOf(segments, index))
    const joined = joiner.finish()
    if (script.loudness !== undefined) toLoudness(joined, script.loudness)
    const { places } = joiner
    const audio = await this.#encoded(joined, script)
    const durationSeconds = FORMATS[format].seconds(audio)
    if (durationSeconds === undefined) throw new UnreadableAudioError(format, FORMATS[format].type)
    const facts = { source, response_format: format, pieces: segments.map((segment) => segmentKey(script, segment)) }
    const stored = await this.store.cache.write(pageKey(script), format, { audio, durationSeconds, places }, facts)
    return toPage(script, stored)
  }

  /** Encodes the joined segments in the format of the page. */
  async #encoded(joined: Uint8Array, { format }: NarrationScript): Promise<Uint8Array> {
    const { encode } = this.#options
    if (encode !== undefined) return encoded(encode, joined, format)
    if (format === 'opus') return encodeOpus(joined)
    return format === 'flac' ? encodeFlac(joined) : joined
  }

  /** Whether the cache may supply all segments of a page. */
  #isFresh(script: NarrationScript): boolean {
    if (this.#options.mode !== 'refresh') return true
    return script.segments.every((segment) => this.#mayReuse(segmentKey(script, segment)))
  }

  #mayReuse(key: string): boolean {
    return this.#options.mode !== 'refresh' || refreshed.has(this.#name(key))
  }

  /** The name of a segment among all caches of the process. */
  #name(key: string): string {
    return `${this.store.cache.folder}\0${key}`
  }
}

/** The edges of a segment whose silence is clipped. The ends of the page and requested pauses stay. */
export function edgesOf(segments: readonly ScriptSegment[], index: number): PieceEdges {
  const spoken = segments[index]?.spoken ?? ''
  return {
    clipStart: index > 0 && !/^\s*\[pause [\d.]+s\]/.test(spoken),
    clipEnd: index < segments.length - 1 && !/\[pause [\d.]+s\]\s*$/.test(spoken.slice(-100)),
    continues: segments[index]?.continues === true,
  }
}

function toPage(
  script: NarrationScript,
  { audio, bytes, durationSeconds, sha256, sidecar }: CachedAudio,
): NarratedPage {
  const places = sidecar.places ?? [{ startSecond: 0, endSecond: durationSeconds }]
  return { audio, bytes, durationSeconds, sha256, places, key: pageKey(script) }
}
