import type { DiarizedTranscription, Transcription } from '@svc-audio/core/interface'
import type { Diarization } from '../../ports/diarization-engine.ts'
import { RECOGNITION_SAMPLE_RATE, type RecognizedWord, type RecognizeOptions } from '../../ports/recognition-engine.ts'
import type { Services } from '../../services.ts'
import { DIARIZATION_COST, RECOGNITION_COST } from '../../domain/turns.ts'
import { assignSpeakers } from './assign-speakers.ts'
import { createRecorder, type Recorder } from '../speech/recorder.ts'
import type { WorkOptions } from '../speech/speak.ts'
import { paced } from './paced.ts'
import type { TranscriptionWork } from './transcription-rules.ts'

/** Options of {@link transcribe}. */
export interface TranscribeOptions extends WorkOptions {
  /** Called after the first decoded sound: the file is readable. */
  readonly onSound?: (() => void) | undefined
  /** As for the recognizer: receives the words of each utterance. */
  readonly onWords?: (words: readonly RecognizedWord[]) => void
}

/**
 * Transcribes a file on this machine.
 * @throws UndecodableAudioError when the file contains no audio
 */
export async function transcribe(
  services: Services,
  path: string,
  { diarize, keyterms }: TranscriptionWork,
  options: TranscribeOptions,
): Promise<Transcription | DiarizedTranscription> {
  const { codec, recognition, semaphores } = services
  const { tenant, signal, meter, onWords } = options
  const settings = { signal, keyterms, ...(onWords === undefined ? {} : { onWords }) }
  const sound = () => announced(codec.decode(path, { signal }), { onSound: options.onSound, meter })
  return semaphores.recognition.use(tenant, signal, async () => {
    const cost = RECOGNITION_COST + (diarize ? DIARIZATION_COST : 0)
    return paced(sound(), semaphores.processing, { tenant, signal, cost }, async (pieces) => {
      if (diarize) return transcribeSpeakers(services, pieces, tenant, settings)
      const { text } = await recognition.recognize(pieces, settings)
      return { text }
    })
  })
}

/** Recognizes words and speakers at the same time, from the same samples (interface: Transcription results). */
async function transcribeSpeakers(
  { recognition, diarization, semaphores }: Services,
  sound: AsyncIterable<Uint8Array>,
  tenant: string,
  options: RecognizeOptions & { readonly signal: AbortSignal },
): Promise<DiarizedTranscription> {
  let speech: Diarization['segments'] = []
  const failed = new AbortController()
  const signal = AbortSignal.any([options.signal, failed.signal])
  const recorder = createRecorder((copy) =>
    semaphores.diarization.use(tenant, signal, async () => {
      const { segments } = await diarization.diarize(copy, { signal })
      speech = segments
    }),
  )
  try {
    const { text, words, durationSeconds } = await recognition.recognize(copied(sound, recorder), options)
    await recorder.finish()
    const duration = Math.round(1000 * durationSeconds) / 1000
    return { task: 'transcribe', duration, text, segments: assignSpeakers(words, speech) }
  } catch (error) {
    // A diarizer that is still in the queue does not read the copy.
    failed.abort(error)
    await recorder.abort(error instanceof Error ? error : new Error('The recognition failed', { cause: error }))
    throw error
  }
}

async function* copied(
  chunks: AsyncIterable<Uint8Array>,
  recorder: Recorder,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    await recorder.write(chunk)
    yield chunk
  }
}

/** The PCM for recognition. */
const BYTES_A_SECOND = 2 * RECOGNITION_SAMPLE_RATE

async function* announced(
  chunks: AsyncIterable<Uint8Array>,
  { onSound, meter }: Pick<TranscribeOptions, 'onSound' | 'meter'>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let first = true
  for await (const chunk of chunks) {
    if (first) onSound?.()
    first = false
    yield chunk
    // The engine asks for the next chunk when it has taken this one.
    meter?.recognized(chunk.byteLength / BYTES_A_SECOND)
  }
}
