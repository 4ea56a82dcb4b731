import { splitPauses } from '@svc-audio/core/text'

import type { Join, TextPiece } from './long-sentences.ts'
import { splitSentences } from './sentences.ts'
import { toSpeakable } from './speakable-text.ts'

/** One step of a stream, in order. */
export type SpeechStep =
  | {
      /** Speech of one utterance. */
      readonly type: 'speech'
      /** Its text, as the engine gets it. */
      readonly text: string
    }
  | {
      /** A natural gap between two pieces of speech. */
      readonly type: 'gap'
      /** Its length at speed 1. It follows the speed. */
      readonly seconds: number
    }
  | {
      /** Requested silence. */
      readonly type: 'pause'
      /** Its length. It does not follow the speed. */
      readonly seconds: number
    }

/** Gaps at speed 1, in seconds. The margins of speech add 0.08 s. */
const GAP_SECONDS: Readonly<Record<Join, number>> = { cut: 0, clause: 0.08, sentence: 0.2, paragraph: 0.5 }

/**
 * Plans the speech of a text. Drops pieces without anything to speak. Adds no gap beside a pause, so that the pause has
 * its requested length.
 * @param pauses Whether `[pause X.Ys]` markers are pauses. Otherwise they are text.
 * @param speakable Converts a sentence to the input of the engine; to the empty string when nothing would be heard.
 * @default to flite's
 * @param language Language of the text: its sentences end where that language ends them. @default 'en'
 * @returns No step when nothing would be heard.
 */
export function planSpeech(
  text: string,
  pauses: boolean,
  speakable: (sentence: string) => string = toSpeakable,
  language?: string,
): SpeechStep[] {
  const steps: SpeechStep[] = []
  for (const part of pauses ? splitPauses(text) : [{ type: 'text' as const, text }]) {
    if (part.type === 'pause') steps.push({ type: 'pause', seconds: part.seconds })
    else addText(steps, splitSentences(part.text, language), speakable)
  }
  return steps
}

function addText(steps: SpeechStep[], pieces: readonly TextPiece[], toInput: (sentence: string) => string): void {
  // No gap before the first piece, which follows a pause or nothing.
  let gap: number | undefined
  for (const piece of pieces) {
    const speakable = toInput(piece.text)
    if (speakable !== '') {
      if (gap !== undefined && gap > 0) steps.push({ type: 'gap', seconds: gap })
      steps.push({ type: 'speech', text: speakable })
      gap = GAP_SECONDS[piece.join]
    } else if (gap !== undefined) gap = Math.max(gap, GAP_SECONDS[piece.join])
  }
}
