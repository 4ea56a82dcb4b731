import { type SubtitleCue, toCues, toVtt } from '@svc-audio/core/subtitles'
import { splitSentences } from '@svc-audio/text/sentences'
import { type Pause, type Place, SHORTEST_PAUSE } from './audio/index.ts'
import type { NarrationSection } from './narration.ts'
import type { ScriptSegment } from './script.ts'

/** Characters of a line, lines and seconds of a cue: what people can read. */
const MAX_LINE = 42
const MAX_LINES = 2
const MAX_SECONDS = 7
/** A cue of this length is not joined with the next sentence: it can be read by itself. */
const ENOUGH_CHARACTERS = 30

const LIMITS = { maxCharactersPerLine: MAX_LINE, maxLines: MAX_LINES, maxCueSeconds: MAX_SECONDS }

/** The end of a clause: its mark, with closing quotes and brackets, before white space. A number has no white space. */
const CLAUSES =
  /(?<=[,;:\u2013\u2014\u2026\u3001\uFF0C\uFF1B\uFF1A]["'\u2019\u201D)\]]*)\s+|(?<=[\u3001\uFF0C\uFF1B\uFF1A])/u

/** The value of a pause at an end: a sentence has one nearly always, a clause often. */
const AT_SENTENCE = 2
const AT_CLAUSE = 1
/** The value of each second of a pause, up to the longest that a voice makes between sentences. */
const PER_SECOND = 2
const LONGEST = 1
/** Distance at which a pause loses a value of 1, in seconds, and as a share of the speech. */
const NEAR_SECONDS = 0.4
const NEAR_SHARE = 0.08

/** What a digit and a symbol take when they are spoken, a letter that is spelled, and a word beside its letters: in letters. */
const DIGIT_LETTERS = 4
const SYMBOL_LETTERS = 5
const SPELLED_LETTERS = 2
const WORD_LETTERS = 1
/** Symbols that a voice names; a full stop inside of a word, as in `Next.js`, is one. */
const SYMBOLS = /[=<>*+/&%@#$^|~_]|(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu
/** Words that a voice spells: those without a vowel, and short ones in capitals. */
const SPELLED = /\b[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz]+\b|\b[A-Z]{2,4}\b/g

/**
 * Captions of a page, as WebVTT. The identifier of a cue is its segment and its number in the segment, e.g. `3.1`: the
 * player marks paragraphs by it.
 * @param places One for each segment.
 * @param language Language of the page, for the ends of sentences.
 */
export function captionsOf(
  segments: readonly ScriptSegment[],
  places: readonly Place[],
  language: string | undefined,
): string {
  const cues = places.flatMap((place, segment) => {
    const text = (segments[segment]?.written ?? '').replace(/\s+/g, ' ').trim()
    const own = text === '' ? [] : segmentCues(text, place, language)
    return own.map((cue, index) => ({ id: `${segment + 1}.${index + 1}`, cue }))
  })
  const ids = cues.map(({ id }) => id).values()
  const vtt = toVtt(
    cues.map(({ cue }) => cue),
    { minCueSeconds: 0 },
  )
  return vtt.replace(/^(?=\d+:\d\d:\d\d\.\d{3} --> )/gm, () => `${ids.next().value ?? ''}\n`)
}

/** The headings of a page with their times. */
export function sectionsOf(
  segments: readonly ScriptSegment[],
  places: readonly Place[],
  durationSeconds: number,
): NarrationSection[] {
  const starts = segments.flatMap(({ heading }, index) => {
    const startSecond = places[index]?.startSecond
    return heading === undefined || startSecond === undefined ? [] : [{ ...heading, startSecond }]
  })
  return starts.map(({ title, level, id, startSecond }, index) => {
    return { title, level, id, startSecond, endSecond: starts[index + 1]?.startSecond ?? durationSeconds }
  })
}

/** The cues of a segment: at most two lines of 42 characters and 7 seconds, divided at sentences and clauses. */
export function segmentCues(text: string, place: Place, language: string | undefined): SubtitleCue[] {
  const phrases = alignPhrases(phrasesOf(text, language), place)
  return packed(phrases).flatMap(({ startSecond, endSecond, text: joined }) => {
    // Only a phrase that is too long is divided again, between words.
    const whole = { start: startSecond, end: Math.max(endSecond, startSecond + 0.001), text: joined }
    const cues = toCues([whole], { ...LIMITS, minCueSeconds: 0 })
    const shared = shareTime(cues, whole.start, whole.end).map((cue) => ({
      start: cue.startSecond,
      end: cue.endSecond,
      text: cue.text,
    }))
    // A cue that would stay too long keeps the end that `toCues` gives it.
    return shared.some(({ start, end }) => end - start > MAX_SECONDS) ? cues : shared
  })
}

/** Joins short phrases, as far as they fit into a cue. */
function packed(phrases: readonly TimedPhrase[]): readonly TimedPhrase[] {
  const cues: TimedPhrase[] = []
  for (const phrase of phrases) {
    const last = cues.pop()
    if (last === undefined) {
      cues.push(phrase)
      continue
    }
    const joined = { ...phrase, startSecond: last.startSecond, text: `${last.text} ${phrase.text}` }
    const isEnough = last.endsSentence && last.text.length >= ENOUGH_CHARACTERS
    if (!isEnough && fits(joined)) cues.push(joined)
    else cues.push(last, phrase)
  }
  return cues
}

function fits({ text, startSecond, endSecond }: TimedPhrase): boolean {
  if (endSecond - startSecond > MAX_SECONDS) return false
  return toCues([{ start: 0, end: 1, text }], LIMITS).length === 1
}

/** A part of a text that a cue may end after. */
interface Phrase {
  readonly text: string
  /** Whether it ends a sentence. Else it ends a clause. */
  readonly endsSentence: boolean
}

/** A phrase with its times, in seconds. */
interface TimedPhrase extends Phrase {
  readonly startSecond: number
  readonly endSecond: number
}

/** Divides a text at the ends of its sentences and clauses. */
export function phrasesOf(text: string, language: string | undefined): Phrase[] {
  return splitSentences(text, { language }).flatMap((sentence) => {
    const clauses = sentence.split(CLAUSES).filter((clause) => clause.trim() !== '')
    return clauses.map((clause, index) => ({ text: clause.trim(), endsSentence: index === clauses.length - 1 }))
  })
}

/**
 * Times the phrases of a segment by its pauses: ends of phrases are matched with pauses, in order, so that long pauses are
 * at ends of sentences and each end is near its time by the length of the text. Phrases between two matched pauses share
 * their time by their length.
 */
export function alignPhrases(
  phrases: readonly Phrase[],
  { startSecond, endSecond, pauses = [] }: Place,
): TimedPhrase[] {
  const weights = phrases.map(({ text }) => spokenLength(text))
  const all = weights.reduce((sum, one) => sum + one, 0)
  const inside = pauses.filter((pause) => pause.startSecond > startSecond && pause.endSecond < endSecond)
  const silence = inside.reduce((sum, pause) => sum + pause.endSecond - pause.startSecond, 0)
  const speech = endSecond - startSecond - silence
  let said = 0
  // The end of the last phrase is the end of the segment.
  const ends = phrases.slice(0, -1).map(({ endsSentence }, index) => {
    said += weights[index] ?? 0
    return { second: (speech * said) / all, value: endsSentence ? AT_SENTENCE : AT_CLAUSE }
  })
  const matched = match(ends, positionsOf(inside, startSecond), Math.max(NEAR_SECONDS, speech * NEAR_SHARE))
  const timed: TimedPhrase[] = []
  let from = 0
  let start = startSecond
  for (const index of phrases.keys()) {
    const pause = inside[matched[index] ?? -1]
    if (pause === undefined && index < phrases.length - 1) continue
    const until = pause?.startSecond ?? endSecond
    timed.push(...shareTime(phrases.slice(from, index + 1), start, until))
    from = index + 1
    start = pause?.endSecond ?? endSecond
  }
  return timed
}

/** A pause by the time of speech before it. */
interface Position {
  readonly second: number
  readonly length: number
}

function positionsOf(pauses: readonly Pause[], startSecond: number): Position[] {
  let silence = 0
  return pauses.map((pause) => {
    const length = pause.endSecond - pause.startSecond
    const second = pause.startSecond - startSecond - silence
    silence += length
    return { second, length }
  })
}

/**
 * The pause of each end, or -1: the matching of the highest value, in order.
 * @param near Distance at which a pause loses a value of 1.
 */
function match(
  ends: readonly { readonly second: number; readonly value: number }[],
  pauses: readonly Position[],
  near: number,
): number[] {
  const width = pauses.length + 1
  // best[e * width + p]: the highest value of the ends from `e` and the pauses from `p`.
  const best = new Float64Array((ends.length + 1) * width)
  const worth = (end: number, pause: number): number => {
    const { second, value } = ends[end] ?? { second: 0, value: 0 }
    const { second: at, length } = pauses[pause] ?? { second: Infinity, length: 0 }
    return value + PER_SECOND * (Math.min(length, LONGEST) - SHORTEST_PAUSE) - Math.abs(second - at) / near
  }
  const at = (end: number, pause: number): number => best[end * width + pause] ?? 0
  for (let end = ends.length - 1; end >= 0; end -= 1) {
    for (let pause = pauses.length - 1; pause >= 0; pause -= 1) {
      const here = worth(end, pause) + at(end + 1, pause + 1)
      best[end * width + pause] = Math.max(here, at(end + 1, pause), at(end, pause + 1))
    }
  }
  const found: number[] = []
  let pause = 0
  for (const end of ends.keys()) {
    while (pause < pauses.length && at(end, pause) === at(end, pause + 1)) pause += 1
    const isHere = pause < pauses.length && at(end, pause) === worth(end, pause) + at(end + 1, pause + 1)
    found.push(isHere ? pause : -1)
    if (isHere) pause += 1
  }
  return found
}

/** Divides the time between two moments among texts that are spoken one after the other, by their length. */
function shareTime<Spoken extends { readonly text: string }>(
  parts: readonly Spoken[],
  start: number,
  end: number,
): (Spoken & { readonly startSecond: number; readonly endSecond: number })[] {
  const weights = parts.map(({ text }) => spokenLength(text))
  const all = weights.reduce((sum, one) => sum + one, 0)
  let said = 0
  return parts.map((part, index) => {
    const startSecond = start + ((end - start) * said) / all
    said += weights[index] ?? 0
    return { ...part, startSecond, endSecond: start + ((end - start) * said) / all }
  })
}

/** How long a text takes, in letters. */
function spokenLength(text: string): number {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const spelled = text.match(SPELLED)?.join('').length ?? 0
  const digits = text.match(/\p{N}/gu)?.length ?? 0
  const symbols = text.match(SYMBOLS)?.length ?? 0
  const words = text.trim().split(/\s+/).length
  const more = (SPELLED_LETTERS - 1) * spelled + DIGIT_LETTERS * digits + SYMBOL_LETTERS * symbols
  return letters + more + WORD_LETTERS * words
}
