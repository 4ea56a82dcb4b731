import { readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type {
  DiarizationEngine,
  EngineDrivers,
  RecognitionEngine,
  SpeechEngine,
  Synthesis,
} from '@svc-audio/engine-ports'
import { UsageError } from '../errors.ts'
import { table } from '../list-format.ts'
import { diarizationErrors, readRttm, sumErrors, textErrors, type TextErrors } from './errors.ts'

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
  /** Receives what has been measured, as a line. @default nothing */
  readonly onProgress?: ((line: string) => void) | undefined
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
    for (const [index, recording] of recordings.entries()) {
      results.push(await hear(recording, recognition, diarization, options))
      options.onProgress?.(`${recognition.name}: ${recording.name}, ${index + 1} of ${recordings.length} recordings`)
    }
    const voices: VoiceResult[] = []
    const sentences = found.map(({ transcript }) => transcript)
    for (const [index, voice] of names.entries()) {
      if (speech === undefined) continue
      voices.push(await roundTrip(voice, sentences, speech, recognition, options))
      options.onProgress?.(`${speech.name}: ${voice}, ${index + 1} of ${names.length} voices`)
    }
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

/** The measurements of a recording. */
interface RecordingResult extends TextErrors {
  /** Name of the recording without its extension. */
  readonly name: string
  readonly seconds: number
  /** Time of the recognition, in seconds. */
  readonly workSeconds: number
  /** Time until the first text, in seconds. @default there was none */
  readonly firstSeconds: number | undefined
  /** Errors of the speakers, in seconds of speech. @default there is no reference */
  readonly speakers: { readonly errorSeconds: number; readonly speechSeconds: number } | undefined
}

/** The measurements of a voice: its speech is recognized again. */
interface VoiceResult extends TextErrors {
  readonly voice: string
  readonly seconds: number
  /** Time of the synthesis, in seconds. */
  readonly workSeconds: number
  /** Time until the first audio, in seconds: the median of the sentences. */
  readonly firstSeconds: number | undefined
}

/** What `eval` found. */
export interface Evaluation {
  /** Names of the engines. */
  readonly recognition: string
  readonly diarization: string | undefined
  readonly speech: string | undefined
  readonly recordings: readonly RecordingResult[]
  readonly voices: readonly VoiceResult[]
}

const percent = (errors: number, of: number): string => (of === 0 ? '-' : `${((100 * errors) / of).toFixed(1)} %`)
const seconds = (value: number | undefined): string => (value === undefined ? '-' : `${value.toFixed(2)} s`)
const factor = (work: number, length: number): string => (length === 0 ? '-' : (work / length).toFixed(2))

/** Returns an evaluation as tables for people. */
export function evaluationText({ recognition, diarization, speech, recordings, voices }: Evaluation): string {
  const heard = recordings.length > 0 ? recordingTable(recognition, diarization, recordings) : ''
  const spoken = voices.length > 0 ? voiceTable(speech ?? '', recognition, voices) : ''
  return [heard, spoken].filter((part) => part !== '').join('\n')
}

function recordingTable(recognition: string, diarization: string | undefined, results: readonly RecordingResult[]) {
  const hasSpeakers = results.some(({ speakers }) => speakers !== undefined)
  const row = (name: string, one: Omit<RecordingResult, 'name'>): string[] => [
    name,
    seconds(one.seconds),
    percent(one.wordErrors, one.words),
    percent(one.characterErrors, one.characters),
    factor(one.workSeconds, one.seconds),
    seconds(one.firstSeconds),
    ...(hasSpeakers
      ? [one.speakers === undefined ? '-' : percent(one.speakers.errorSeconds, one.speakers.speechSeconds)]
      : []),
  ]
  const title = `Recognition by ${recognition}${hasSpeakers ? `, speakers by ${diarization}` : ''}\n`
  const head = ['recording', 'length', 'word errors', 'character errors', 'work/length', 'first text']
  const rows = results.map((result) => row(result.name, result))
  return title + table([[...head, ...(hasSpeakers ? ['speaker errors'] : [])], ...rows, row('all', totalOf(results))])
}

/** The sums of all recordings. */
export function totalOf(results: readonly RecordingResult[]): Omit<RecordingResult, 'name'> {
  const sum = (of: (result: RecordingResult) => number): number => results.reduce((all, one) => all + of(one), 0)
  const speakers = results.flatMap((result) => result.speakers ?? [])
  return {
    ...sumErrors(results),
    seconds: sum((one) => one.seconds),
    workSeconds: sum((one) => one.workSeconds),
    firstSeconds: median(results.flatMap(({ firstSeconds }) => firstSeconds ?? [])),
    speakers:
      speakers.length === 0
        ? undefined
        : {
            errorSeconds: speakers.reduce((all, one) => all + one.errorSeconds, 0),
            speechSeconds: speakers.reduce((all, one) => all + one.speechSeconds, 0),
          },
  }
}

/** The middle of numbers. */
function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

function voiceTable(speech: string, recognition: string, voices: readonly VoiceResult[]): string {
  const rows = voices.map((one) => [
    one.voice,
    seconds(one.seconds),
    percent(one.wordErrors, one.words),
    percent(one.characterErrors, one.characters),
    factor(one.workSeconds, one.seconds),
    seconds(one.firstSeconds),
  ])
  const head = ['voice', 'length', 'word errors', 'character errors', 'work/length', 'first audio']
  return `Voices of ${speech}, recognized by ${recognition}\n${table([head, ...rows])}`
}
