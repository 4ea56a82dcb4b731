import { splitPauses } from '@svc-audio/core/interface'

import type { Join } from './long-sentences.ts'
import { splitSentences } from './sentences.ts'
import { toSpeakable } from './speakable-text.ts'

/** What a stream consists of, in order. */
export type SpeechStep =
  /** Text for flite, spoken in one go. */
  | { readonly type: 'speech'; readonly text: string }
  /** A natural gap between two pieces of speech, in seconds at speed 1; it follows the speed. */
  | { readonly type: 'gap'; readonly seconds: number }
  /** Silence that was asked for, in seconds; it does not follow the speed. */
  | { readonly type: 'pause'; readonly seconds: number }

/** Gaps at speed 1, in seconds. What the edges of speech keep comes on top: 0.08 s. */
const GAP_SECONDS: Readonly<Record<Join, number>> = { cut: 0, clause: 0.08, sentence: 0.2, paragraph: 0.5 }

/**
 * Plans how a text is spoken. Pieces in which nothing can be spoken fall away. Beside a pause there is no gap: its
 * length is what was asked for.
 * @param pauses Whether `[pause X.Ys]` markers are pauses; otherwise they are text.
 * @returns No step at all when nothing would be heard.
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
  // no gap before the first piece, which follows a pause or nothing
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
