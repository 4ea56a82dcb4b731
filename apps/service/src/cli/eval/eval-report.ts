import { table } from '../list-format.ts'
import { sumErrors, type TextErrors } from './text-errors.ts'

/** The measurements of a recording. */
export interface RecordingResult extends TextErrors {
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
export interface VoiceResult extends TextErrors {
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
export function median(values: readonly number[]): number | undefined {
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
