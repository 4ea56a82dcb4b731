import { END, streamOver } from '@svc-audio/engine-ports/driver'
import {
  type DiarizationEngine,
  EngineFailedError,
  RECOGNITION_SAMPLE_RATE,
  type RecognitionEngine,
  type SpeechEngine,
} from '@svc-audio/engine-ports'
import type { EngineWork } from '../../ports/engine-state.ts'
import type {
  EngineClient,
  EngineUse,
  EngineUseListener,
  ServedDiarization,
  ServedRecognition,
  ServedSpeech,
  UsedEngine,
} from '../../ports/engine-use.ts'

/** Counts the work of an engine, for metrics, usage and the audit log. Probes do not count. */
export class WorkCount implements EngineWork {
  seconds = 0
  failures = 0
  readonly #used: UsedEngine | undefined
  readonly #listener: EngineUseListener | undefined

  /** @param used The engine. @default nobody is told */
  constructor(used?: UsedEngine, listener?: EngineUseListener) {
    this.#used = used
    this.#listener = listener
  }

  /** Counts a failure of the engine. Aborts and texts that nobody can speak are none. @throws whatever `run` throws */
  async watch<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      if (error instanceof EngineFailedError) this.failures += 1
      throw error
    }
  }

  /** Tells that work for a client begins. The returned function tells its end, at its first call. */
  begin(client: EngineClient | undefined): (done: Omit<EngineUse, keyof UsedEngine | 'client'>) => void {
    const [used, listener] = [this.#used, this.#listener]
    if (client === undefined || used === undefined || listener === undefined) return () => undefined
    listener.begun(used, client)
    let ended = false
    return (done) => {
      if (!ended) listener.ended({ ...used, client, ...done })
      ended = true
    }
  }
}

/** Counts the speech of an engine as it is read. A text that is only checked does not count. */
export function countedSpeech(engine: SpeechEngine, count: WorkCount): ServedSpeech {
  return {
    name: engine.name,
    get voices() {
      return engine.voices
    },
    async synthesize(request, { client, ...options } = {}) {
      const { format, chunks } = await count.watch(() => engine.synthesize(request, options))
      const bytesPerSecond = (format.sampleRate * format.channels * format.bitDepth) / 8
      const source = chunks[Symbol.asyncIterator]()
      let seconds = 0
      let tellEnd: ReturnType<WorkCount['begin']> | undefined
      const end = (failed: boolean): void => tellEnd?.({ failed, characters: request.text.length, seconds })
      const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
        tellEnd ??= count.begin(client)
        try {
          const result: IteratorResult<Uint8Array, unknown> = await count.watch(() => source.next())
          if (result.done === true) {
            end(false)
            return END
          }
          const more = result.value.byteLength / bytesPerSecond
          seconds += more
          count.seconds += more
          return result
        } catch (error) {
          end(error instanceof EngineFailedError)
          throw error
        }
      }
      return { format, chunks: streamOver(source, next, async () => end(false)) }
    },
    close: () => engine.close(),
  }
}

/** Counts the recordings that an engine has recognized to the end. */
export function countedRecognition(engine: RecognitionEngine, count: WorkCount): ServedRecognition {
  return {
    name: engine.name,
    language: engine.language,
    languages: engine.languages,
    async recognize(pcm, { client, ...options } = {}) {
      const heard = listenTo(pcm, { count, client })
      const recognition = await heard.use((sound) => engine.recognize(sound, options))
      count.seconds += recognition.durationSeconds
      return recognition
    },
    close: () => engine.close(),
  }
}

/** Counts the recordings in which an engine has separated the speakers. */
export function countedDiarization(engine: DiarizationEngine, count: WorkCount): ServedDiarization {
  return {
    name: engine.name,
    async diarize(pcm, { client, ...options } = {}) {
      const heard = listenTo(pcm, { count, client })
      const diarization = await heard.use((sound) => engine.diarize(sound, options))
      count.seconds += diarization.durationSeconds
      return diarization
    },
    close: () => engine.close(),
  }
}

/** Bytes of a second of the PCM of recordings. */
const BYTES_PER_SECOND = 2 * RECOGNITION_SAMPLE_RATE

/** Measures the recording that an engine takes, and tells of its work. */
function listenTo(
  pcm: AsyncIterable<Uint8Array>,
  { count, client }: { readonly count: WorkCount; readonly client: EngineClient | undefined },
) {
  let bytes = 0
  const measured = (): AsyncIterable<Uint8Array> => {
    const source = pcm[Symbol.asyncIterator]()
    return streamOver(source, async () => {
      const result: IteratorResult<Uint8Array, unknown> = await source.next()
      if (result.done === true) return END
      bytes += result.value.byteLength
      return result
    })
  }
  return {
    async use<Result>(work: (sound: AsyncIterable<Uint8Array>) => Promise<Result>): Promise<Result> {
      const tellEnd = count.begin(client)
      const end = (failed: boolean): void => tellEnd({ failed, characters: 0, seconds: bytes / BYTES_PER_SECOND })
      try {
        const result = await count.watch(() => work(client === undefined ? pcm : measured()))
        end(false)
        return result
      } catch (error) {
        end(error instanceof EngineFailedError)
        throw error
      }
    },
  }
}
