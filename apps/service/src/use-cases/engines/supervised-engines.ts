import { streamOver } from '@svc-audio/engine-ports/driver'
import type { DiarizationEngine, RecognitionEngine, RecognizeOptions, SpeechEngine } from '@svc-audio/engine-ports'
import type { EngineSupervisor } from './engine-supervisor.ts'

/** The fields of an engine that are known before it is created. */
type Known<Engine, Key extends keyof Engine> = Readonly<Pick<Engine, Key>>

/** Creates a supervised speech engine. Its voices can be listed while it is down. */
export function supervisedSpeech(
  supervisor: EngineSupervisor<SpeechEngine>,
  known: Known<SpeechEngine, 'name' | 'voices'>,
): SpeechEngine {
  return {
    ...known,
    async synthesize(request, options) {
      const { format, chunks } = await supervisor.use((engine) => engine.synthesize(request, options))
      return { format, chunks: watched(chunks, supervisor) }
    },
    close: () => supervisor.close(),
  }
}

/** Watches each chunk: the engine may fail at any of them. */
function watched(chunks: AsyncIterable<Uint8Array>, supervisor: EngineSupervisor<SpeechEngine>) {
  const source = chunks[Symbol.asyncIterator]()
  return streamOver(source, () => supervisor.watch(() => source.next()))
}

/** Creates a supervised recognizer. */
export function supervisedRecognition(
  supervisor: EngineSupervisor<RecognitionEngine>,
  known: Known<RecognitionEngine, 'name' | 'language' | 'languages'>,
): RecognitionEngine {
  return {
    ...known,
    recognize: (pcm, options) => supervisor.use((engine) => engine.recognize(pcm, watchedOptions(options, supervisor))),
    close: () => supervisor.close(),
  }
}

/** Recognized speech shows that the engine works. The end of the recording may be an hour away. */
function watchedOptions(
  options: RecognizeOptions | undefined,
  supervisor: EngineSupervisor<RecognitionEngine>,
): RecognizeOptions {
  return {
    ...options,
    onWords(words) {
      supervisor.works()
      options?.onWords?.(words)
    },
    onSegment(segment) {
      supervisor.works()
      options?.onSegment?.(segment)
    },
  }
}

/** Creates a supervised diarizer. */
export function supervisedDiarization(
  supervisor: EngineSupervisor<DiarizationEngine>,
  known: Known<DiarizationEngine, 'name'>,
): DiarizationEngine {
  return {
    ...known,
    diarize: (pcm, options) => supervisor.use((engine) => engine.diarize(pcm, options)),
    close: () => supervisor.close(),
  }
}
