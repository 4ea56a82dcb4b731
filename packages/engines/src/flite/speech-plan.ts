import { splitPauses } from '@svc-audio/core/text'

import type { Join } from './long-sentences.ts'
import { splitSentences } from './sentences.ts'
import { toSpeakable } from './speakable-text.ts'

/** One step of a stream, in order. */
export type SpeechStep =
  /** Text of one utterance. */
  | { readonly type: 'speech'; readonly text: string }
  /** A natural gap between two pieces of speech, in seconds at speed 1. It follows the speed. */
  | { readonly type: 'gap'; readonly seconds: number }
  /** Requested silence, in seconds. It does not follow the speed. */
  | { readonly type: 'pause'; readonly seconds: number }

/** Gaps at speed 1, in seconds. The margins of speech add 0.08 s. */
const GAP_SECONDS: Readonly<Record<Join, number>> = { cut: 0, clause: 0.08, sentence: 0.2, paragraph: 0.5 }

/**
 * Plans the speech of a text. Drops pieces without anything to speak. Adds no gap beside a pause, so that the pause has
 * its requested length.
 * @param pauses Whether `[pause X.Ys]` markers are pauses. Otherwise they are text.
 * @returns No step when nothing would be heard.
 */
export function planSpeech(text: string, pauses: boolean): SpeechStep[] {
  const steps: SpeechStep[] = []
  for (const part of pauses ? splitPauses(text) : [{ type: 'text' as const, text }]) {
    if (part.type === 'pause') steps.push({ type: 'pause', seconds: part.seconds })
    else addText(steps, part.text)
  }
  return steps
}

function addText(steps: SpeechStep[], text: string): void {
  // No gap before the first piece, which follows a pause or nothing.
  let gap: number | undefined
  for (const piece of splitSentences(text)) {
    const speakable = toSpeakable(piece.text)
    if (speakable !== '') {
      if (gap !== undefined && gap > 0) steps.push({ type: 'gap', seconds: gap })
      steps.push({ type: 'speech', text: speakable })
      gap = GAP_SECONDS[piece.join]
    } else if (gap !== undefined) gap = Math.max(gap, GAP_SECONDS[piece.join])
  }
}
