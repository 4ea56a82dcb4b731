import type { DiarizedTranscription, Transcription, TranscriptionSegment } from '@svc-audio/core/interface'
import {
  type DecodedFile,
  type Diarization,
  type Recognition,
  RECOGNITION_SAMPLE_RATE,
  type RecognizedSegment,
  type RecognizedWord,
  type RecognizeOptions,
} from '@svc-audio/engine-ports'
import type { FairPlaces } from '../../domain/fair-semaphore.ts'
import { DIARIZATION_COST, RECOGNITION_COST } from '../../domain/task-kinds.ts'
import type { ForClient } from '../../ports/engines.ts'
import type { Services } from '../../services.ts'
import { createRecorder, type Recorder } from '../speech/recorder.ts'
import type { WorkOptions } from '../tasks/task.ts'
import { assignAll } from './assign-speakers.ts'
import type { TranscriptionWork } from './source.ts'

/** The log line of a cut file. */
const EARLY_END = 'a recording ends early: the file was cut, or its header promises more'

/** Options of {@link transcribe}. */
export interface TranscribeOptions extends WorkOptions {
  /** Called after the first decoded sound: the file is readable. */
  readonly onSound?: (() => void) | undefined
  /** Id of the requested model, for the choice of an engine. @default any */
  readonly model?: string | undefined
  /** Language of the speech, for the choice of an engine. @default the engine detects it, or knows one only */
  readonly language?: string | undefined
  /** As {@link RecognizeOptions.prompt}. @default none */
  readonly prompt?: string | undefined
  /** As {@link RecognizeOptions.temperature}. @default the engine's */
  readonly temperature?: number | undefined
  /** Receives each utterance as soon as it is recognized. */
  readonly onUtterance?: (utterance: Utterance) => void
  /** Called when the file ends before it should, before the result. A cut file has a first part that is recognized. */
  readonly onEarlyEnd?: (() => void) | undefined
}

/** What was said without a pause, or a segment of the engine. */
export interface Utterance extends RecognizedSegment {
  /** Its words with their times. @default the engine knows none */
  readonly words?: readonly RecognizedWord[]
}

/** A transcription with its times. */
export interface TimedTranscription extends Omit<Recognition, 'segments'> {
  /** The utterances, in the order of time. */
  readonly utterances: readonly Utterance[]
  /** What each speaker says in turn, if speakers were separated. */
  readonly segments: readonly TranscriptionSegment[] | undefined
}

/**
 * Transcribes a file on this machine.
 * @throws UndecodableAudioError when the file contains no audio
 */
export async function transcribe(
  services: Services,
  path: string,
  work: TranscriptionWork,
  options: TranscribeOptions,
): Promise<Transcription | DiarizedTranscription> {
  return viewTranscription(await transcribeTimed(services, path, work, options))
}

/** Returns a transcription as the interface shows it (interface: Transcription results). */
export function viewTranscription({
  text,
  durationSeconds,
  segments,
}: TimedTranscription): Transcription | DiarizedTranscription {
  if (segments === undefined) return { text }
  return { task: 'transcribe', duration: Math.round(1000 * durationSeconds) / 1000, text, segments }
}

/** The field of a task whose file ends early: an addition to the interface. */
export function viewEarlyEnd(endsEarly: boolean): { readonly ended_early?: true } {
  return endsEarly ? { ended_early: true } : {}
}

/**
 * Transcribes a file on this machine, with the time of each word.
 * @throws UndecodableAudioError when the file contains no audio
 */
export async function transcribeTimed(
  services: Services,
  path: string,
  work: TranscriptionWork,
  options: TranscribeOptions,
): Promise<TimedTranscription> {
  const { tenant, id } = options
  // Pictures may last longer than the sound.
  let playedSeconds = 0
  const onEnd = ({ durationSeconds, endsEarly }: DecodedFile): void => {
    playedSeconds = durationSeconds
    if (!endsEarly) return
    services.runtime.log.warn({ tenant, ...(id === undefined ? {} : { id }), seconds: durationSeconds }, EARLY_END)
    options.onEarlyEnd?.()
  }
  const decode = (signal: AbortSignal) => services.engines.codec.decode(path, { signal, onEnd })
  const timed = await transcribeSound(services, decode, work, options)
  return { ...timed, durationSeconds: Math.max(timed.durationSeconds, playedSeconds) }
}

/**
 * Transcribes sound, with the time of each word.
 * @param decode Begins to read the sound, when its turn has come: 16 kHz, mono, signed 16-bit little-endian PCM.
 */
export async function transcribeSound(
  services: Services,
  decode: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  { diarize, keyterms }: TranscriptionWork,
  options: TranscribeOptions,
): Promise<TimedTranscription> {
  const { recognition, semaphores } = services.engines
  const { tenant, id, signal, meter } = options
  const client = { tenant, id }
  const utterances: Utterance[] = []
  const onSegment = (utterance: Utterance): void => {
    utterances.push(utterance)
    options.onUtterance?.(utterance)
  }
  const settings: RecognizeOptions & ForClient & { readonly signal: AbortSignal } = {
    signal,
    client,
    keyterms,
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.language === undefined ? {} : { language: options.language }),
    ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    onSegment,
    onWords(words, utterance) {
      const [first, last] = [words[0], words.at(-1)]
      if (first === undefined || last === undefined) return
      const text = words.map(({ word }) => word).join(' ')
      const own = utterance ?? { text, startSecond: first.startSecond, endSecond: last.endSecond }
      onSegment({ ...own, words })
    },
  }
  const sound = () => announced(decode(signal), { onSound: options.onSound, meter })
  return semaphores.recognition.use(tenant, signal, async () => {
    const cost = RECOGNITION_COST + (diarize ? DIARIZATION_COST : 0)
    return throttled(sound(), semaphores.processing, { tenant, signal, cost }, async (pieces) => {
      if (diarize) return { ...(await recognizeSpeakers(services, pieces, tenant, settings)), utterances }
      return { ...(await recognition.recognize(pieces, settings)), utterances, segments: undefined }
    })
  })
}

/** Recognizes words and speakers at the same time, from the same samples (interface: Transcription results). */
async function recognizeSpeakers(
  { engines: { recognition, diarization, semaphores } }: Services,
  sound: AsyncIterable<Uint8Array>,
  tenant: string,
  options: RecognizeOptions & ForClient & { readonly signal: AbortSignal },
): Promise<Omit<TimedTranscription, 'utterances'>> {
  let speech: Diarization['segments'] = []
  const failed = new AbortController()
  const signal = AbortSignal.any([options.signal, failed.signal])
  const recorder = createRecorder((copy) =>
    semaphores.diarization.use(tenant, signal, async () => {
      const { segments } = await diarization.diarize(copy, { signal, client: options.client })
      speech = segments
    }),
  )
  try {
    const recognized = await recognition.recognize(copied(sound, recorder), options)
    await recorder.finish()
    return { ...recognized, segments: assignAll(recognized.words, recognized.segments, speech) }
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

/** Length of one piece, in seconds of audio: about a second of work. */
const PIECE_SECONDS = 5

const PIECE_BYTES = PIECE_SECONDS * 2 * RECOGNITION_SAMPLE_RATE

/** Tenant, signal and cost of paced work. */
interface ThrottleOptions {
  readonly tenant: string
  readonly signal: AbortSignal
  /** Estimated processor time of one second of audio, in milliseconds. */
  readonly cost: number
}

/**
 * Lets a recording take turns with other work, piece by piece: between two pieces, work of another tenant gets the
 * processor. The engine reads only a few seconds ahead of its work. The turn of the last piece lasts until the end of
 * the work.
 * @param work Reads the paced audio.
 */
export async function throttled<T>(
  chunks: AsyncIterable<Uint8Array>,
  semaphore: FairPlaces,
  { tenant, signal, cost }: ThrottleOptions,
  work: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  let release: (() => void) | undefined
  let over = false
  const pieces = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    let left = 0
    for await (const chunk of chunks) {
      if (left <= 0) {
        release?.()
        release = undefined
        const turn = await semaphore.acquire(tenant, signal, cost * PIECE_SECONDS)
        // The work may have ended while its reader waited.
        if (over) {
          turn()
          return
        }
        release = turn
        left = PIECE_BYTES
      }
      left -= chunk.byteLength
      yield chunk
    }
  }
  try {
    return await work(pieces())
  } finally {
    over = true
    release?.()
  }
}
