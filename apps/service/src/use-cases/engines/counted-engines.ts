import { END, streamOver } from '@svc-audio/engine-ports/driver'
import {
  type DiarizationEngine,
  EngineFailedError,
  type RecognitionEngine,
  type SpeechEngine,
} from '@svc-audio/engine-ports'
import type { EngineWork } from '../../ports/engine-state.ts'

/** Counts the work of an engine, for metrics. Probes do not count. */
export class WorkCount implements EngineWork {
  seconds = 0
  failures = 0

  /** Counts a failure of the engine. Aborts and texts that nobody can speak are none. @throws whatever `run` throws */
  async watch<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      if (error instanceof EngineFailedError) this.failures += 1
      throw error
    }
  }
}

/** Counts the speech of an engine as it is read. */
export function countedSpeech(engine: SpeechEngine, count: WorkCount): SpeechEngine {
  return {
    name: engine.name,
    get voices() {
      return engine.voices
    },
    async synthesize(request, options) {
      const { format, chunks } = await count.watch(() => engine.synthesize(request, options))
      const bytesPerSecond = (format.sampleRate * format.channels * format.bitDepth) / 8
      const source = chunks[Symbol.asyncIterator]()
      const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
        const result: IteratorResult<Uint8Array, unknown> = await count.watch(() => source.next())
        if (result.done === true) return END
        count.seconds += result.value.byteLength / bytesPerSecond
        return result
      }
      return { format, chunks: streamOver(source, next) }
    },
    close: () => engine.close(),
  }
}

/** Counts the recordings that an engine has recognized to the end. */
export function countedRecognition(engine: RecognitionEngine, count: WorkCount): RecognitionEngine {
  return {
    name: engine.name,
    language: engine.language,
    languages: engine.languages,
    async recognize(pcm, options) {
      const recognition = await count.watch(() => engine.recognize(pcm, options))
      count.seconds += recognition.durationSeconds
      return recognition
    },
    close: () => engine.close(),
  }
}

/** Counts the recordings in which an engine has separated the speakers. */
export function countedDiarization(engine: DiarizationEngine, count: WorkCount): DiarizationEngine {
  return {
    name: engine.name,
    async diarize(pcm, options) {
      const diarization = await count.watch(() => engine.diarize(pcm, options))
      count.seconds += diarization.durationSeconds
      return diarization
    },
    close: () => engine.close(),
  }
}
