import type { TranscriptionSegment } from '@svc-audio/core/interface'

import { type RecognizedSegment, type RecognizedWord, speakerLabel, type SpeakerSegment } from '@svc-audio/engine-ports'

/**
 * Assigns what was said to speakers. A segment without times of words beside words is assigned like a long word.
 * @param speech In the order of time.
 */
export function assignAll(
  words: readonly RecognizedWord[],
  segments: readonly RecognizedSegment[] | undefined,
  speech: readonly SpeakerSegment[],
): TranscriptionSegment[] {
  if (segments === undefined || segments.length === 0) return assignSpeakers(words, speech)
  if (words.length === 0) return labelSegments(segments, speech)
  const long = segments.map(({ text, startSecond, endSecond }) => ({ word: text, startSecond, endSecond }))
  return assignSpeakers(
    [...words, ...long].toSorted((one, other) => one.startSecond - other.startSecond),
    speech,
  )
}

/**
 * Assigns recognized words to speakers. Consecutive words of the same stretch of speech become one segment of the
 * answer (interface: Transcription results). A word belongs to the stretch with which it shares most time, or else to
 * the nearest one. Speakers without a word are left out, and the others are renumbered: labels have no gaps. Without
 * any stretch of speech, all words belong to one speaker.
 * @param words In the order of time.
 * @param speech In the order of time.
 */
export function assignSpeakers(
  words: readonly RecognizedWord[],
  speech: readonly SpeakerSegment[],
): TranscriptionSegment[] {
  const groups: { readonly stretch: SpeakerSegment | undefined; readonly words: RecognizedWord[] }[] = []
  let from = 0
  for (const word of words) {
    // Later words cannot belong to a stretch that ended before this word.
    while (from + 1 < speech.length && (speech[from + 1]?.endSecond ?? 0) <= word.startSecond) from += 1
    const stretch = findStretch(word, speech, from)
    const last = groups.at(-1)
    if (last !== undefined && last.stretch === stretch) last.words.push(word)
    else groups.push({ stretch, words: [word] })
  }
  const speakers = [...new Set(groups.map(({ stretch }) => stretch?.speaker))]
  return groups.map(({ stretch, words: spoken }, index) => ({
    type: 'transcript.text.segment',
    id: `seg_${index + 1}`,
    start: spoken[0]?.startSecond ?? 0,
    end: spoken.at(-1)?.endSecond ?? 0,
    text: spoken.map(({ word }) => word).join(' '),
    speaker: speakerLabel(speakers.indexOf(stretch?.speaker)),
  }))
}

/**
 * Assigns segments without times of words to speakers. Each stays one segment of the response: nobody knows at which
 * word another speaker began. Speakers of the engine itself count, if every segment has one.
 */
export function labelSegments(
  segments: readonly RecognizedSegment[],
  speech: readonly SpeakerSegment[],
): TranscriptionSegment[] {
  const known = segments.every(({ speaker }) => speaker !== undefined)
  const owners = segments.map((segment) => (known ? segment.speaker : findStretch(segment, speech, 0)?.speaker))
  const speakers = [...new Set(owners)]
  return segments.map(({ text, startSecond, endSecond }, index) => ({
    type: 'transcript.text.segment',
    id: `seg_${index + 1}`,
    start: startSecond,
    end: endSecond,
    text,
    speaker: speakerLabel(speakers.indexOf(owners[index])),
  }))
}

function findStretch(
  { startSecond, endSecond }: Pick<RecognizedWord, 'startSecond' | 'endSecond'>,
  speech: readonly SpeakerSegment[],
  from: number,
): SpeakerSegment | undefined {
  let best: SpeakerSegment | undefined
  let max = -Infinity
  for (let index = from; index < speech.length; index += 1) {
    const stretch = speech[index]
    // The shared time, or the negative distance.
    const shared =
      stretch === undefined
        ? -Infinity
        : Math.min(endSecond, stretch.endSecond) - Math.max(startSecond, stretch.startSecond)
    if (shared > max) {
      max = shared
      best = stretch
    }
    if (stretch !== undefined && stretch.startSecond > endSecond) break
  }
  return best
}
