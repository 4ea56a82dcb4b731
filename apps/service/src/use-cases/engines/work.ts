import { pcmSeconds } from '@svc-audio/core/audio'
import {
  type Diarization,
  type Recognition,
  RECOGNITION_SAMPLE_RATE,
  type RecognizeOptions,
  type Synthesis,
  type SynthesisOptions,
  type SynthesisRequest,
} from '@svc-audio/engine-ports'
import { END, streamOver } from '@svc-audio/engine-ports/driver'
import type { ServedDiarization, ServedRecognition, ServedSpeech } from '../../ports/engines.ts'

/** One piece of work on an engine, and the hooks that follow it from its begin to its end. */
export interface EngineWorkHooks<Engine> {
  /** Calls the engine. */
  use<T>(call: (engine: Engine) => Promise<T>): Promise<T>
  /** Runs a read of speech. @default runs it */
  read?<T>(next: () => Promise<T>): Promise<T>
  /** The work begins: before the call, or with the first read of speech. */
  onBegin?(): void
  /** The engine has taken a part of the recording. */
  onSound?(pcm: Uint8Array): void
  /** Speech was read, or the engine has taken a part of the recording. @param seconds Its length */
  onAudio?(seconds: number): void
  /** The engine has taken the recording to its end, or leaves it. */
  onTaken?(): void
  /** Words or a segment were recognized. */
  onText?(): void
  /**
   * The work has ended. A reader that ends speech twice ends its work twice.
   * @param recordingSeconds Length of a recording that was heard to its end
   */
  onEnd?(error?: unknown, recordingSeconds?: number): void
}

/** Speaks a text. A text that is only accepted, and never read, does not begin. */
export async function synthesize(
  work: EngineWorkHooks<Pick<ServedSpeech, 'synthesize'>>,
  request: SynthesisRequest,
  options?: SynthesisOptions,
): Promise<Synthesis> {
  const { format, chunks } = await work.use((engine) => engine.synthesize(request, options))
  const source: AsyncIterator<Uint8Array, undefined> = chunks[Symbol.asyncIterator]()
  const next = (): ReturnType<typeof source.next> => source.next()
  let isBegun = false
  const read = async (): ReturnType<typeof source.next> => {
    if (!isBegun) work.onBegin?.()
    isBegun = true
    try {
      const result = await (work.read === undefined ? next() : work.read(next))
      if (result.done === true) {
        work.onEnd?.()
        return END
      }
      work.onAudio?.(pcmSeconds(format, result.value.byteLength))
      return result
    } catch (error) {
      work.onEnd?.(error)
      throw error
    }
  }
  return { format, chunks: streamOver(source, read, async () => work.onEnd?.()) }
}

/** Recognizes a recording. Its times are whole milliseconds. */
export async function recognize(
  work: EngineWorkHooks<Pick<ServedRecognition, 'recognize'>>,
  pcm: AsyncIterable<Uint8Array>,
  options: RecognizeOptions = {},
): Promise<Recognition> {
  const followed: RecognizeOptions = {
    ...options,
    onWords(words, utterance) {
      work.onText?.()
      options.onWords?.(words.map(inMilliseconds), utterance && inMilliseconds(utterance))
    },
    onSegment(segment) {
      work.onText?.()
      options.onSegment?.(inMilliseconds(segment))
    },
  }
  const result = await hear(work, pcm, (engine, sound) => engine.recognize(sound, followed))
  const { words, segments } = result
  return {
    ...result,
    words: words.map(inMilliseconds),
    ...(segments === undefined ? {} : { segments: segments.map(inMilliseconds) }),
  }
}

/** Separates the speakers of a recording. Its times are whole milliseconds. */
export async function diarize(
  work: EngineWorkHooks<Pick<ServedDiarization, 'diarize'>>,
  pcm: AsyncIterable<Uint8Array>,
  options?: { readonly signal?: AbortSignal },
): Promise<Diarization> {
  const result = await hear(work, pcm, (engine, sound) => engine.diarize(sound, options))
  return { ...result, segments: result.segments.map(inMilliseconds) }
}

/** Rounds times, which removes the noise of binary fractions. */
function inMilliseconds<Timed extends { readonly startSecond: number; readonly endSecond: number }>(
  timed: Timed,
): Timed {
  const [startSecond, endSecond] = [timed.startSecond, timed.endSecond].map(
    (second) => Math.round(1000 * second) / 1000,
  )
  return { ...timed, startSecond, endSecond }
}

/** Bytes of a second of the PCM of recordings. */
const BYTES_PER_SECOND = 2 * RECOGNITION_SAMPLE_RATE

async function hear<Engine, Result extends { readonly durationSeconds: number }>(
  work: EngineWorkHooks<Engine>,
  pcm: AsyncIterable<Uint8Array>,
  listen: (engine: Engine, sound: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  work.onBegin?.()
  const source: AsyncIterator<Uint8Array, undefined> = pcm[Symbol.asyncIterator]()
  const sound = streamOver(
    source,
    async () => {
      const result = await source.next()
      if (result.done === true) {
        work.onTaken?.()
        return result
      }
      work.onSound?.(result.value)
      work.onAudio?.(result.value.byteLength / BYTES_PER_SECOND)
      return result
    },
    async () => work.onTaken?.(),
  )
  try {
    const result = await work.use((engine) => listen(engine, sound))
    work.onEnd?.(undefined, result.durationSeconds)
    return result
  } catch (error) {
    work.onEnd?.(error)
    throw error
  }
}
