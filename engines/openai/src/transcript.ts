import {
  RECOGNITION_SAMPLE_RATE,
  type RecognizedSegment,
  type RecognizedWord,
  type SegmentMeasures,
  speakerLabel,
} from '@svc-audio/engine-ports'
import { z } from 'zod'
import { type Piece, recordingTime } from './pieces.ts'
import { wavOf } from './upstream.ts'

const Word = z.object({ word: z.string(), start: z.number(), end: z.number() })
const Segment = z.object({
  text: z.string(),
  start: z.number(),
  end: z.number(),
  words: z.array(Word).nullish(),
  speaker: z.string().nullish(),
  avg_logprob: z.number().nullish().catch(undefined),
  no_speech_prob: z.number().nullish().catch(undefined),
  compression_ratio: z.number().nullish().catch(undefined),
  temperature: z.number().nullish().catch(undefined),
  tokens: z.array(z.number()).nullish().catch(undefined),
})

/** The responses of servers, as far as this engine reads them. */
export const TranscriptResponse = z.object({
  text: z.string(),
  language: z.string().nullish(),
  words: z.array(Word).nullish(),
  segments: z.array(Segment).nullish(),
})

/** A parsed answer. */
export type TranscriptResponse = z.infer<typeof TranscriptResponse>

/** What a server has heard in one piece, with the times of the recording. */
export interface PieceTranscript {
  readonly text: string
  /** The words by the segments of the server, or in one group. */
  readonly words: readonly WordGroup[]
  /** Only without words. */
  readonly segments: readonly RecognizedSegment[]
  readonly language: string | undefined
}

/** Words of one segment, and what the server measured of it. */
export interface WordGroup {
  readonly words: readonly RecognizedWord[]
  readonly measures: SegmentMeasures | undefined
}

/** A sentence that is repeated so often is an invention: models repeat themselves where they hear nothing. */
const REPEATS = 3

/**
 * Reads the response to one piece. Repeated sentences are left out, and times are moved into the recording.
 * @param speakers Labels the speakers of the response. @default its speakers are left out
 */
export function readTranscript(answer: TranscriptResponse, piece: Piece, speakers?: KnownSpeakers): PieceTranscript {
  const language = languageTag(answer.language ?? undefined)
  const segments = withoutRepeats(
    (answer.segments ?? []).filter(({ text }) => text.trim() !== ''),
    ({ text }) => text,
  )
  const isCut = segments.length < (answer.segments?.filter(({ text }) => text.trim() !== '').length ?? 0)
  const text = isCut ? joined(segments.map((segment) => segment.text)) : withoutRepeatedSentences(answer.text)
  if (text === '') return { text: '', words: [], segments: [], language }
  const words = speakers === undefined ? wordsOf(answer, segments, isCut) : []
  if (words.length > 0) {
    const groups = grouped(words, placedWords(words, text, piece), segments)
    return { text, words: groups, segments: [], language }
  }
  const timed = segments.length > 0 ? segments : [{ text, start: 0, end: Infinity }]
  const placed = timed.map((segment) => placedSegment(segment, piece))
  if (speakers === undefined) return { text, words: [], segments: placed, language }
  const labels = speakers.learn(
    piece,
    segments.flatMap(({ speaker, start, end }) => (speaker == null ? [] : [{ speaker, start, end }])),
  )
  const told = segments.map(({ speaker }) => (speaker == null ? undefined : labels.get(speaker)))
  return { text, words: [], segments: told.length === 0 ? placed : labelled(placed, told), language }
}

/** The words of the response, or of its segments. Parts of a word, which some servers send, are joined. */
function wordsOf(answer: TranscriptResponse, segments: readonly z.infer<typeof Segment>[], isCut: boolean) {
  const nested = segments.every(({ words }) => (words?.length ?? 0) > 0)
    ? segments.flatMap(({ words }) => words ?? [])
    : []
  const top = (answer.words ?? []).filter(
    ({ start }) => !isCut || segments.some((segment) => start >= segment.start - 0.05 && start < segment.end),
  )
  const given = (top.length > 0 ? top : nested).filter(({ word }) => word.trim() !== '')
  if (!given.some(({ word }) => word.startsWith(' '))) return given
  const whole: { word: string; start: number; end: number }[] = []
  for (const part of given) {
    const last = whole.at(-1)
    if (last === undefined || part.word.startsWith(' ')) whole.push({ ...part })
    else {
      last.word += part.word
      last.end = part.end
    }
  }
  return whole
}

/** Words with the spelling and the punctuation of the text, where both have the same number of words. */
function placedWords(
  words: readonly { readonly word: string; readonly start: number; readonly end: number }[],
  text: string,
  piece: Piece,
): RecognizedWord[] {
  const spelt = text.split(/\s+/)
  let last = piece.startSecond
  return words.map(({ word, start, end }, index) => {
    const startSecond = Math.max(last, recordingTime(piece, start))
    const endSecond = Math.max(startSecond, recordingTime(piece, end))
    last = startSecond
    return { word: (spelt.length === words.length ? spelt[index] : undefined) ?? word.trim(), startSecond, endSecond }
  })
}

/** Groups words by the segments in which they begin. */
function grouped(
  given: readonly { readonly start: number }[],
  placed: readonly RecognizedWord[],
  segments: readonly z.infer<typeof Segment>[],
): WordGroup[] {
  const groups = segments.map((segment) => ({ words: [] as RecognizedWord[], measures: measuresOf(segment) }))
  const [first = { words: [] as RecognizedWord[], measures: undefined }] = groups
  for (const [index, word] of placed.entries()) {
    const at = segments.findLastIndex(({ start }) => start <= (given[index]?.start ?? 0) + SEGMENT_SLACK)
    ;(groups[at] ?? first).words.push(word)
  }
  return (groups.length === 0 ? [first] : groups).filter(({ words }) => words.length > 0)
}

/** A word may begin this much before its segment, in seconds: both are rounded. */
const SEGMENT_SLACK = 0.05

/** What a server measured of a segment. `undefined` when it measured nothing. */
function measuresOf(segment: Partial<z.infer<typeof Segment>>): SegmentMeasures | undefined {
  const { avg_logprob, no_speech_prob, compression_ratio, temperature, tokens } = segment
  const measures = {
    meanLogProbability: avg_logprob ?? undefined,
    noSpeechProbability: no_speech_prob ?? undefined,
    compressionRatio: compression_ratio ?? undefined,
    temperature: temperature ?? undefined,
    tokens: tokens ?? undefined,
  }
  return Object.values(measures).some((value) => value !== undefined) ? measures : undefined
}

function placedSegment(
  segment: Partial<z.infer<typeof Segment>> & { readonly text: string; readonly start: number; readonly end: number },
  piece: Piece,
): RecognizedSegment {
  const { text, start, end } = segment
  const startSecond = recordingTime(piece, start)
  const endSecond = Math.max(startSecond, recordingTime(piece, end))
  const measures = measuresOf(segment)
  return { text: text.trim(), startSecond, endSecond, ...(measures === undefined ? {} : { measures }) }
}

/** Leaves one of each row of at least three equal items. */
function withoutRepeats<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  const plain = items.map((item) =>
    textOf(item)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  )
  const starts: number[] = []
  const rows = new Map<number, number>()
  for (const index of items.keys()) {
    const before = starts[index - 1]
    const start = before !== undefined && plain[index - 1] === plain[index] ? before : index
    starts.push(start)
    rows.set(start, (rows.get(start) ?? 0) + 1)
  }
  return items.filter((_, index) => {
    const start = starts[index] ?? index
    return index === start || (rows.get(start) ?? 0) < REPEATS
  })
}

function withoutRepeatedSentences(text: string): string {
  const sentences = text.trim().match(/[^.!?。！？]+[.!?。！？]*\s*/gu) ?? []
  const once = withoutRepeats(sentences, (sentence) => sentence)
  return once.length === sentences.length ? text.trim() : joined(once)
}

function joined(texts: readonly string[]): string {
  return texts.map((text) => text.trim()).join(' ')
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz')

let tags: ReadonlyMap<string, string> | undefined

/** The tags of two letters by their English names in lower case. */
function tagsByName(): ReadonlyMap<string, string> {
  tags ??= new Map(
    LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).flatMap((tag) => {
      const name = NAMES.of(tag)?.toLowerCase()
      return name === undefined ? [] : [[name, tag] as const]
    }),
  )
  return tags
}

/** Returns the primary tag of a language that a server names: `de`, `de-DE` or `german`. `undefined` for another name. */
function languageTag(named: string | undefined): string | undefined {
  const name = named?.trim().toLowerCase() ?? ''
  return tagsByName().get(name) ?? /^[a-z]{2,3}(?=$|[-_])/.exec(name)?.[0]
}

/** What the API accepts: voices of a request, and the length of each sample, in seconds. */
const MOST_VOICES = 4
const SHORTEST_SECONDS = 2
const LONGEST_SECONDS = 10

/** A stretch of a piece in which one speaker talks. Times are those of the piece. */
interface SpokenStretch {
  readonly speaker: string
  readonly start: number
  readonly end: number
}

/**
 * Gives speakers the same label in all pieces of a recording. A server has other labels in each request, so
 * later requests carry a sample of each voice that is known. A speaker without a sample has a new label in each piece.
 */
export class KnownSpeakers {
  /** Labels by the name that requests use for a known voice. */
  readonly #samples = new Map<string, string>()
  #labels = 0

  /** The fields of the next request. */
  get fields(): (readonly [name: string, value: string])[] {
    return [...this.#samples].flatMap(([name, sample]) => [
      ['known_speaker_names[]', name] as const,
      ['known_speaker_references[]', sample] as const,
    ])
  }

  /** Learns from the response to a piece. @returns The label for each speaker of the response */
  learn(piece: Pick<Piece, 'samples'>, stretches: readonly SpokenStretch[]): ReadonlyMap<string, string> {
    const labels = new Map<string, string>()
    for (const { speaker } of stretches) {
      if (!labels.has(speaker)) labels.set(speaker, this.#samples.has(speaker) ? speaker : this.#newLabel())
    }
    for (const [speaker, label] of labels) {
      if (this.#samples.has(label) || this.#samples.size >= MOST_VOICES) continue
      const longest = stretches
        .filter((stretch) => stretch.speaker === speaker)
        .toSorted((a, b) => b.end - b.start - (a.end - a.start))[0]
      const sample = longest && sampleOf(piece.samples, longest)
      if (sample !== undefined) this.#samples.set(label, sample)
    }
    return labels
  }

  #newLabel(): string {
    this.#labels += 1
    return speakerLabel(this.#labels - 1)
  }
}

/** Sets the labels of segments. Without a speaker for each of them, none has one. */
function labelled(
  segments: readonly RecognizedSegment[],
  labels: readonly (string | undefined)[],
): RecognizedSegment[] {
  if (labels.includes(undefined)) return [...segments]
  return segments.map((segment, index) => ({ ...segment, speaker: labels[index] }))
}

/** A sample as a data URL; `undefined` where the stretch is too short. */
function sampleOf(samples: Int16Array, { start, end }: SpokenStretch): string | undefined {
  const [from, to] = [start, Math.min(end, start + LONGEST_SECONDS)].map((second) =>
    Math.round(second * RECOGNITION_SAMPLE_RATE),
  )
  const cut = samples.slice(from, to)
  if (cut.length < SHORTEST_SECONDS * RECOGNITION_SAMPLE_RATE) return undefined
  return `data:audio/wav;base64,${Buffer.from(wavOf(cut)).toString('base64')}`
}
