import { readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type {
  DiarizationEngine,
  EngineDrivers,
  RecognitionEngine,
  SpeechEngine,
  Synthesis,
} from '@svc-audio/engine-ports'
import { UsageError } from '../usage-error.ts'
import { diarizationErrors, readRttm } from './diarization-errors.ts'
import { type Evaluation, median, type RecordingResult, type VoiceResult } from './eval-report.ts'
import { sumErrors, textErrors } from './text-errors.ts'

/** Bytes of a second of 16 kHz PCM. */
const BYTES_PER_SECOND = 32_000

/** Options of {@link evaluate}. */
export interface EvaluateOptions {
  /** Folder of recordings with transcripts of the same name, and optionally RTTM files. */
  readonly folder: string
  readonly drivers: Pick<EngineDrivers, 'speech' | 'recognition' | 'diarization'>
  /** Voices to measure. They speak the transcripts. @default none */
  readonly voices?: readonly string[] | 'all' | undefined
  /** Measures the voices alone. The recognizer then only hears them. @default false */
  readonly isVoicesAlone?: boolean | undefined
  /** Decodes a file to 16 kHz PCM. */
  readonly decode: (path: string) => AsyncIterable<Uint8Array>
  /** Converts speech to 16 kHz PCM. */
  readonly toPcm: (synthesis: Synthesis) => Promise<Uint8Array>
  /** Folder for files that engines can make again. @default none */
  readonly cacheDir?: string | undefined
  /** Milliseconds. @default the machine's clock */
  readonly now?: () => number
}

/** A recording and what belongs to it. */
interface Recording {
  readonly name: string
  readonly path: string
  readonly transcript: string
  /** The RTTM file beside it. @default none */
  readonly rttm: string | undefined
}

/**
 * Measures engines on recordings with transcripts, one after the other: each has the machine to itself.
 * @throws UsageError when the folder has no recording with a transcript, or a voice is unknown
 */
export async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  const { folder, drivers, voices: wanted, isVoicesAlone = false, cacheDir } = options
  const found = await findRecordings(folder)
  const recordings = isVoicesAlone ? [] : found
  const created = { signal: new AbortController().signal, workers: 1, cacheDir }
  const hasSpeakers = recordings.some(({ rttm }) => rttm !== undefined)
  const open: { close(): Promise<void> }[] = []
  const opened = async <Engine extends { close(): Promise<void> }>(engine: Promise<Engine>): Promise<Engine> => {
    const made = await engine
    open.push(made)
    return made
  }
  try {
    const recognition = await opened(drivers.recognition.create(created))
    const diarization = hasSpeakers ? await opened(drivers.diarization.create(created)) : undefined
    const speech = wanted === undefined ? undefined : await opened(drivers.speech.create(created))
    const names = speech === undefined ? [] : voicesOf(speech, wanted ?? 'all')
    const results: RecordingResult[] = []
    for (const recording of recordings) results.push(await hear(recording, recognition, diarization, options))
    const voices: VoiceResult[] = []
    const sentences = found.map(({ transcript }) => transcript)
    for (const voice of names)
      if (speech !== undefined) voices.push(await roundTrip(voice, sentences, speech, recognition, options))
    return {
      recognition: recognition.name,
      diarization: diarization?.name,
      speech: speech?.name,
      recordings: results,
      voices,
    }
  } finally {
    for (const engine of open) await engine.close()
  }
}

async function findRecordings(folder: string): Promise<Recording[]> {
  const names = await readdir(folder).catch(() => {
    throw new UsageError(`${folder} is no folder: name one with recordings and transcripts, such as a.wav and a.txt`)
  })
  const all = new Set(names)
  const recordings = names.toSorted().flatMap((file) => {
    const { name, ext } = parse(file)
    return ['.txt', '.rttm'].includes(ext) || !all.has(`${name}.txt`) ? [] : [{ name, file }]
  })
  if (recordings.length === 0)
    throw new UsageError(`${folder} has no recording with a transcript: a.wav needs a.txt beside it`)
  return Promise.all(
    recordings.map(async ({ name, file }) => ({
      name,
      path: join(folder, file),
      transcript: (await readFile(join(folder, `${name}.txt`), 'utf8')).trim(),
      rttm: all.has(`${name}.rttm`) ? await readFile(join(folder, `${name}.rttm`), 'utf8') : undefined,
    })),
  )
}

function voicesOf({ name, voices }: SpeechEngine, wanted: readonly string[] | 'all'): string[] {
  const ids = voices.map(({ id }) => id)
  if (wanted === 'all') return ids
  const unknown = wanted.find((id) => !ids.includes(id))
  if (unknown === undefined) return [...wanted]
  throw new UsageError(`${name} has no voice ${unknown}: it has ${ids.join(', ')}`)
}

async function hear(
  { name, path, transcript, rttm }: Recording,
  recognition: RecognitionEngine,
  diarization: DiarizationEngine | undefined,
  options: EvaluateOptions,
): Promise<RecordingResult> {
  // Decoded before, so that the time is that of the recognizer.
  const pcm = await bytesOf(options.decode(path))
  const { text, workSeconds, firstSeconds } = await timed(pcm, recognition, options)
  const found = diarization === undefined || rttm === undefined ? undefined : await diarization.diarize(chunksOf(pcm))
  return {
    name,
    seconds: pcm.length / BYTES_PER_SECOND,
    ...textErrors(transcript, text),
    workSeconds,
    firstSeconds,
    speakers:
      found === undefined || rttm === undefined ? undefined : diarizationErrors(turnsOf(name, rttm), found.segments),
  }
}

function turnsOf(name: string, rttm: string): ReturnType<typeof readRttm> {
  try {
    return readRttm(rttm)
  } catch (error) {
    throw new UsageError(`${name}.rttm: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

async function timed(
  pcm: Uint8Array,
  recognition: RecognitionEngine,
  { now = () => performance.now() }: EvaluateOptions,
) {
  const started = now()
  let firstSeconds: number | undefined
  const onText = (): void => {
    firstSeconds ??= (now() - started) / 1000
  }
  const { text } = await recognition.recognize(chunksOf(pcm), { onWords: onText, onSegment: onText })
  return { text, workSeconds: (now() - started) / 1000, firstSeconds }
}

async function roundTrip(
  voice: string,
  sentences: readonly string[],
  speech: SpeechEngine,
  recognition: RecognitionEngine,
  options: EvaluateOptions,
): Promise<VoiceResult> {
  const { now = () => performance.now(), toPcm } = options
  const errors = []
  const firsts: number[] = []
  let [seconds, workSeconds] = [0, 0]
  for (const text of sentences) {
    const started = now()
    const { format, chunks } = await speech.synthesize({ text, voiceId: voice })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) {
      if (parts.length === 0) firsts.push((now() - started) / 1000)
      parts.push(chunk)
    }
    workSeconds += (now() - started) / 1000
    const pcm = await toPcm({ format, chunks: chunksOf(Buffer.concat(parts)) })
    seconds += pcm.length / BYTES_PER_SECOND
    errors.push(textErrors(text, (await recognition.recognize(chunksOf(pcm))).text))
  }
  return { voice, seconds, ...sumErrors(errors), workSeconds, firstSeconds: median(firsts) }
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

/** Half a second at a time. */
async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += BYTES_PER_SECOND / 2) yield bytes.subarray(at, at + BYTES_PER_SECOND / 2)
}
