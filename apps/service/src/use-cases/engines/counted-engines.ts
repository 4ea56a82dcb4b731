import { END, streamOver } from '@svc-audio/engine-ports/driver'
import {
  type DiarizationEngine,
  EngineFailedError,
  RECOGNITION_SAMPLE_RATE,
  type RecognitionEngine,
  type SpeechEngine,
} from '@svc-audio/engine-ports'
import { pcmSeconds } from '@svc-audio/core/audio'
import type {
  EngineClient,
  EngineUse,
  EngineUseListener,
  EngineWork,
  ServedDiarization,
  ServedRecognition,
  ServedSpeech,
  UsedEngine,
} from '../../ports/engine-state.ts'
import type { Span, TraceHeaders, Tracer } from '../../ports/tracer.ts'

/** What a span of an engine is called, and what it says. */
interface EngineSpan {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  /** The trace to continue. @default the current span */
  readonly parent?: TraceHeaders
}

/** Work of an engine that has begun. */
interface BegunWork {
  readonly span: Span | undefined
  /** Runs a part of it within its span, and counts a failure of the engine. @throws whatever `part` throws */
  run<Result>(part: () => Promise<Result>): Promise<Result>
  /** Ends it, at the first call. */
  end(done: Pick<EngineUse, 'characters' | 'seconds'>, error?: unknown): void
}

/** Options of {@link WorkCount}. */
export interface WorkCountOptions {
  /** The engine. @default nobody is told */
  readonly used?: UsedEngine | undefined
  readonly listener?: EngineUseListener | undefined
  /** Records a span of each work. @default none */
  readonly tracer?: Tracer | undefined
}

/** Counts the work of an engine, for metrics, usage, the audit log and traces. Probes do not count. */
export class WorkCount implements EngineWork {
  seconds = 0
  failures = 0
  readonly #options: WorkCountOptions

  constructor(options: WorkCountOptions = {}) {
    this.#options = options
  }

  /** The trace that work of an engine continues. */
  get trace(): TraceHeaders {
    return this.#options.tracer?.current() ?? {}
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

  /**
   * Begins work, and tells of it where it is for a client.
   * @param spanOptions `undefined` makes no span.
   */
  begin(client: EngineClient | undefined, spanOptions: EngineSpan | undefined): BegunWork {
    const { used, listener, tracer } = this.#options
    const { name = '', ...more } = spanOptions ?? {}
    const span = spanOptions && tracer?.start(name, { kind: 'internal', ...more })
    if (used !== undefined && client !== undefined) listener?.begun(used, client)
    let ended = false
    return {
      span,
      run: (part) => this.watch(() => (span === undefined ? part() : span.run(part))),
      end(done, error) {
        if (ended) return
        ended = true
        span?.end(error)
        const failed = error instanceof EngineFailedError
        if (used !== undefined && client !== undefined) listener?.ended({ ...used, client, failed, ...done })
      },
    }
  }
}

/**
 * Counts the speech of an engine as it is read, with a span of each text from the first read to the last. A text that is
 * only checked does not count and has no span.
 */
export function countedSpeech(engine: SpeechEngine, count: WorkCount): ServedSpeech {
  return {
    name: engine.name,
    get voices() {
      return engine.voices
    },
    async synthesize(request, { client, ...options } = {}) {
      const { format, chunks } = await count.watch(() => engine.synthesize(request, options))
      const parent = count.trace
      const characters = request.text.length
      const attributes = { 'svc_audio.engine': engine.name, 'svc_audio.characters': characters }
      const span = parent.traceparent === undefined ? undefined : { name: 'speech engine', parent, attributes }
      const source = chunks[Symbol.asyncIterator]()
      let seconds = 0
      let work: BegunWork | undefined
      const end = (error?: unknown): void => work?.end({ characters, seconds }, error)
      const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
        work ??= count.begin(client, span)
        try {
          const result: IteratorResult<Uint8Array, unknown> = await work.run(() => source.next())
          if (result.done === true) {
            end()
            return END
          }
          const more = pcmSeconds(format, result.value.byteLength)
          seconds += more
          count.seconds += more
          return result
        } catch (error) {
          end(error)
          throw error
        }
      }
      return { format, chunks: streamOver(source, next, async () => end()) }
    },
    close: () => engine.close(),
  }
}

/** Counts the recordings that an engine has recognized to the end, with a span of each. */
export function countedRecognition(engine: RecognitionEngine, count: WorkCount): ServedRecognition {
  return {
    name: engine.name,
    language: engine.language,
    languages: engine.languages,
    recognize: (pcm, { client, ...options } = {}) =>
      hear(pcm, { name: 'recognition engine', engine, count, client }, (sound) => engine.recognize(sound, options)),
    close: () => engine.close(),
  }
}

/** Counts the recordings in which an engine has separated the speakers, with a span of each. */
export function countedDiarization(engine: DiarizationEngine, count: WorkCount): ServedDiarization {
  return {
    name: engine.name,
    diarize: (pcm, { client, ...options } = {}) =>
      hear(pcm, { name: 'diarization engine', engine, count, client }, (sound) => engine.diarize(sound, options)),
    close: () => engine.close(),
  }
}

/** Bytes of a second of the PCM of recordings. */
const BYTES_PER_SECOND = 2 * RECOGNITION_SAMPLE_RATE

/** Who listens, with which count and for whom. */
interface Listener {
  /** Name of its spans. */
  readonly name: string
  readonly engine: { readonly name: string }
  readonly count: WorkCount
  readonly client: EngineClient | undefined
}

/** Measures the recording that an engine takes, and tells of its work. */
async function hear<Result extends { readonly durationSeconds: number }>(
  pcm: AsyncIterable<Uint8Array>,
  { name, engine, count, client }: Listener,
  listen: (sound: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
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
  const work = count.begin(client, { name, attributes: { 'svc_audio.engine': engine.name } })
  const end = (error?: unknown): void => work.end({ characters: 0, seconds: bytes / BYTES_PER_SECOND }, error)
  try {
    const result = await work.run(() => listen(client === undefined ? pcm : measured()))
    work.span?.set('svc_audio.recording.seconds', result.durationSeconds)
    count.seconds += result.durationSeconds
    end()
    return result
  } catch (error) {
    end(error)
    throw error
  }
}
