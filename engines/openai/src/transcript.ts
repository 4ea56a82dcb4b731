import {
  RECOGNITION_SAMPLE_RATE,
  type RecognizedSegment,
  type RecognizedWord,
  type SegmentMeasures,
} from '@svc-audio/engine-ports'
import { z } from 'zod'
import type { KnownSpeakers } from './known-speakers.ts'
import { type Piece, segmentTimes, wordTimes } from './pieces.ts'
import { timeUnit } from './time-unit.ts'

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

/** What was said in a stretch of a recording, with the times of the recording. */
export interface HeardUtterance extends RecognizedSegment {
  /** Empty where the server tells no times of words. */
  readonly words: readonly RecognizedWord[]
}

/** What a server has heard in one piece. */
export interface PieceTranscript {
  readonly text: string
  /** The server's segments; without them, the words between two pauses or two ends of sentences. In the order of time. */
  readonly utterances: readonly HeardUtterance[]
  readonly language: string | undefined
}

/** How a response is read. */
export interface ReadOptions {
  /** Name of the entry, for messages. */
  readonly name: string
  /** Labels the speakers of the response. @default its speakers are left out */
  readonly speakers?: KnownSpeakers | undefined
}

/**
 * Reads the response to one piece. What nobody can say in that time is left out, and times are moved into the recording.
 * @throws EngineFailedError for times that are none of the piece
 */
export function readTranscript(
  answer: TranscriptResponse,
  piece: Piece,
  { name, speakers }: ReadOptions,
): PieceTranscript {
  const language = languageTag(answer.language ?? undefined)
  const seconds = piece.samples.length / RECOGNITION_SAMPLE_RATE
  const { words: top, segments: given } = inSeconds(answer, seconds, name)
  const segments = withoutLoops(given, seconds)
  const isCut = segments.length < given.length
  const text = isCut ? joined(segments.map((segment) => segment.text)) : withoutLoopedSentences(answer.text, seconds)
  if (text === '') return { text: '', utterances: [], language }
  if (speakers !== undefined) return { text, utterances: labelled(segments, text, piece, speakers), language }
  const words = isCut ? top.filter((word) => segments.some((segment) => isIn(word, segment))) : top
  return { text, utterances: utterancesOf({ text, segments, words }, piece), language }
}

function isIn(word: TimedWord, { start, end }: TimedSegment): boolean {
  const middle = (word.start + word.end) / 2
  return middle >= start && middle < end
}

type TimedWord = z.infer<typeof Word>
type TimedSegment = z.infer<typeof Segment>

/** The words and the segments of a response, in the order of time and in seconds. */
function inSeconds(
  { words, segments }: TranscriptResponse,
  seconds: number,
  name: string,
): { readonly words: readonly TimedWord[]; readonly segments: readonly TimedSegment[] } {
  const timed = [...(words ?? []), ...(segments ?? []), ...(segments ?? []).flatMap((one) => one.words ?? [])]
  const unit = timeUnit(timed, seconds, name)
  const said = scaled(words ?? [], unit)
  const parts: TimedSegment[] = []
  for (const one of scaled(segments ?? [], unit)) {
    if (one.text.trim() !== '') parts.push({ ...one, words: spoken(scaled(one.words ?? [], unit)) })
  }
  return { words: spoken(said), segments: parts }
}

function scaled<One extends { readonly start: number; readonly end: number }>(
  ones: readonly One[],
  unit: number,
): One[] {
  const timed = ones.map((one) => Object.assign({}, one, { start: one.start / unit, end: one.end / unit }))
  return timed.toSorted((a, b) => a.start - b.start)
}

function spoken(words: readonly TimedWord[]): TimedWord[] {
  return words.filter(({ word }) => word.trim() !== '')
}

/** What {@link utterancesOf} groups. */
interface Said {
  readonly text: string
  readonly segments: readonly TimedSegment[]
  /** The words beside the segments. Segments may have words of their own. */
  readonly words: readonly TimedWord[]
}

function utterancesOf({ text, segments, words }: Said, piece: Piece): HeardUtterance[] {
  if (segments.length === 0) {
    const placed = placedWords(wholeWords(words), text, piece)
    if (placed.length > 0) return atPauses(placed, jointOf(text))
    return [{ text, startSecond: piece.startSecond, endSecond: piece.endSecond, words: [] }]
  }
  const own = words.length === 0 ? segments.map((segment) => segment.words ?? []) : bySegment(words, segments)
  return segments.flatMap((segment, index) => {
    const said = segment.text.trim()
    const times = segmentTimes(piece, segment.start, segment.end)
    const placed = placedWords(wholeWords(own[index] ?? []), said, piece)
    return atSilence({ text: said, ...times, ...measured(segment), words: placed })
  })
}

/** What a server measured of a segment. */
function measured(segment: TimedSegment): { readonly measures?: SegmentMeasures } {
  const { avg_logprob, no_speech_prob, compression_ratio, temperature, tokens } = segment
  const measures = {
    meanLogProbability: avg_logprob ?? undefined,
    noSpeechProbability: no_speech_prob ?? undefined,
    compressionRatio: compression_ratio ?? undefined,
    temperature: temperature ?? undefined,
    tokens: tokens ?? undefined,
  }
  return Object.values(measures).some((value) => value !== undefined) ? { measures } : {}
}

/** The words of each segment: those whose middle is behind its start. */
function bySegment(words: readonly TimedWord[], segments: readonly TimedSegment[]): TimedWord[][] {
  const groups = segments.map((): TimedWord[] => [])
  for (const word of words) {
    const middle = (word.start + word.end) / 2
    const index = segments.findLastIndex(({ start }) => start <= middle)
    groups[Math.max(0, index)]?.push(word)
  }
  return groups
}

/** Joins parts of a word, which some servers send: only the first one begins with a space. */
function wholeWords(given: readonly TimedWord[]): readonly TimedWord[] {
  if (!given.some(({ word }) => word.startsWith(' '))) return given
  const whole: TimedWord[] = []
  for (const part of given) {
    const last = whole.at(-1)
    if (last === undefined || part.word.startsWith(' ')) whole.push({ ...part })
    else whole.splice(-1, 1, { ...last, word: last.word + part.word, end: part.end })
  }
  return whole
}

/** Words with the spelling and the punctuation of the text, where both have the same number of words. */
function placedWords(words: readonly TimedWord[], text: string, piece: Piece): RecognizedWord[] {
  const spelt = text.split(/\s+/)
  let last = piece.startSecond
  return words.map(({ word, start, end }, index) => {
    const times = wordTimes(piece, start, end)
    const startSecond = Math.max(last, times.startSecond)
    last = startSecond
    return {
      word: (spelt.length === words.length ? spelt[index] : undefined) ?? word.trim(),
      startSecond,
      endSecond: Math.max(startSecond, times.endSecond),
    }
  })
}

/** Pause that ends an utterance of words, in seconds. */
const PAUSE_SECONDS = 0.6

/** Pause that a server has not heard because it was left out, in seconds. */
const SILENCE_SECONDS = 2

const SENTENCE_END = /[.!?。！？]["'”’)\]]*$/u

/** What stands between two words of a text: nothing in Chinese and Japanese. */
function jointOf(text: string): string {
  return /\s/.test(text) ? ' ' : ''
}

/** Utterances of words: they end at pauses and with sentences. */
function atPauses(words: readonly RecognizedWord[], joint: string): HeardUtterance[] {
  return runs(words, ({ word }, pause) => SENTENCE_END.test(word) || pause >= PAUSE_SECONDS).map((run) => {
    const { startSecond, endSecond } = spanOf(run)
    return { text: run.map(({ word }) => word).join(joint), startSecond, endSecond, words: run }
  })
}

/** Parts a segment at a silence that the server was not sent: it has heard a short pause there. */
function atSilence(utterance: HeardUtterance): HeardUtterance[] {
  const parts = runs(utterance.words, (_word, pause) => pause >= SILENCE_SECONDS)
  if (parts.length < 2) return [utterance]
  return parts.map((words, index) => ({
    text: words.map(({ word }) => word).join(jointOf(utterance.text)),
    startSecond: index === 0 ? utterance.startSecond : spanOf(words).startSecond,
    endSecond: index === parts.length - 1 ? utterance.endSecond : spanOf(words).endSecond,
    words,
  }))
}

/** Runs of words. @param ends Whether a run ends with a word before a pause of so many seconds */
function runs(
  words: readonly RecognizedWord[],
  ends: (word: RecognizedWord, pause: number) => boolean,
): RecognizedWord[][] {
  const all: RecognizedWord[][] = []
  for (const [index, word] of words.entries()) {
    const before = words[index - 1]
    if (before === undefined || ends(before, word.startSecond - before.endSecond)) all.push([])
    all.at(-1)?.push(word)
  }
  return all
}

function spanOf(words: readonly RecognizedWord[]): { readonly startSecond: number; readonly endSecond: number } {
  return { startSecond: words[0]?.startSecond ?? 0, endSecond: words.at(-1)?.endSecond ?? 0 }
}

/** More characters than anybody says in a second. */
const CHARACTERS_PER_SECOND = 25

/** Models that hear nothing repeat themselves so often at least. */
const LOOP_ROUNDS = 3

/**
 * Leaves one round of each loop that nobody can say in its time: words that are said three times stay. Models repeat
 * themselves for ever where they hear nothing.
 */
function withoutLoops(segments: readonly TimedSegment[], seconds: number): readonly TimedSegment[] {
  const isTooMuch = charactersOf(segments.map(({ text }) => text)) > CHARACTERS_PER_SECOND * seconds
  return withoutRows(
    segments,
    ({ text }) => text,
    ({ text, start, end }) =>
      isTooMuch || start >= seconds || text.trim().length > CHARACTERS_PER_SECOND * (Math.min(end, seconds) - start),
  )
}

function withoutLoopedSentences(text: string, seconds: number): string {
  if (charactersOf([text]) <= CHARACTERS_PER_SECOND * seconds) return text.trim()
  const sentences = text.trim().match(/[^.!?。！？]+[.!?。！？]*\s*/gu) ?? []
  return joined(
    withoutRows(
      sentences,
      (sentence) => sentence,
      () => true,
    ),
  )
}

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.trim().length, 0)
}

/** Leaves out the impossible items of each row of equal ones, but its first. */
function withoutRows<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
  isImpossible: (item: Item) => boolean,
): Item[] {
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
  return items.filter((item, index) => {
    const start = starts[index] ?? index
    return index === start || (rows.get(start) ?? 0) < LOOP_ROUNDS || !isImpossible(item)
  })
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

/** The segments of a piece with the labels of their speakers. Without a speaker for each of them, none has one. */
function labelled(
  segments: readonly TimedSegment[],
  text: string,
  piece: Piece,
  known: KnownSpeakers,
): HeardUtterance[] {
  if (segments.length === 0) {
    return [{ text, startSecond: piece.startSecond, endSecond: piece.endSecond, words: [] }]
  }
  const labels = known.learn(
    piece,
    segments.flatMap(({ speaker, start, end }) => (speaker == null ? [] : [{ speaker, start, end }])),
  )
  const told = segments.map(({ speaker }) => (speaker == null ? undefined : labels.get(speaker)))
  return segments.map((segment, index) => ({
    text: segment.text.trim(),
    ...segmentTimes(piece, segment.start, segment.end),
    ...(told.includes(undefined) ? {} : { speaker: told[index] }),
    words: [],
  }))
}
