import { type SubtitleCue, toCues } from '@svc-audio/core/subtitles'
import type { Place } from '../join/joiner.ts'
import { alignPhrases, shareTime, type TimedPhrase } from './align-phrases.ts'
import { phrasesOf } from './phrases.ts'

/** Characters of a line, lines and seconds of a cue: what people can read. */
const MAX_LINE = 42
const MAX_LINES = 2
const MAX_SECONDS = 7
/** A cue of this length is not joined with the next sentence: it can be read by itself. */
const ENOUGH_CHARACTERS = 30

const LIMITS = { maxCharactersPerLine: MAX_LINE, maxLines: MAX_LINES, maxCueSeconds: MAX_SECONDS }

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
