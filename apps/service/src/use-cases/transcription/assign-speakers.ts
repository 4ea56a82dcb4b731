import type { TranscriptionSegment } from '@svc-audio/core/interface'

import type { SpeakerSegment } from '../../ports/diarization-engine.ts'
import type { RecognizedWord } from '../../ports/recognition-engine.ts'
import { speakerLabel } from '../../domain/speaker-label.ts'

/**
 * Puts together what was said and who spoke: words in a row that belong to the same stretch of speech become one segment
 * of the answer (interface: Transcription results). A word belongs to the stretch that it shares most time with, or else
 * to the nearest one. Speakers of whom no word was understood are left out, and the others numbered again, so that
 * labels have no gaps. Without any stretch of speech, all words are of one speaker.
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
    // what ended before the last word was said is of no use to later ones
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

function findStretch(
  { startSecond, endSecond }: RecognizedWord,
  speech: readonly SpeakerSegment[],
  from: number,
): SpeakerSegment | undefined {
  let best: SpeakerSegment | undefined
  let most = -Infinity
  for (let index = from; index < speech.length; index += 1) {
    const stretch = speech[index]
    // shared time, or the distance as a negative one
    const shared =
      stretch === undefined
        ? -Infinity
        : Math.min(endSecond, stretch.endSecond) - Math.max(startSecond, stretch.startSecond)
    if (shared > most) {
      most = shared
      best = stretch
    }
    if (stretch !== undefined && stretch.startSecond > endSecond) break
  }
  return best
}
