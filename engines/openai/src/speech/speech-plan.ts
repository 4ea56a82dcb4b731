import { lineBreaks, splitPauses } from '@svc-audio/core/text'
import { splitSentences } from '@svc-audio/engine-ports/speech'

/** One step of a stream, in order. */
export type SpeechStep =
  /** Text of one request. */
  | { readonly type: 'speech'; readonly text: string }
  /** Silence, in seconds. It follows the speed only between paragraphs. */
  | { readonly type: 'gap' | 'pause'; readonly seconds: number }

/** Silence between two paragraphs, in seconds. Servers leave a sentence its own silence. */
const PARAGRAPH_SECONDS = 0.3

/** Something that a voice can say. */
const SPEAKABLE = /[\p{L}\p{N}]/u

/**
 * Plans the requests of a text: a sentence each, without those that have nothing to speak.
 * @param pauses Whether `[pause X.Ys]` markers are silence. Otherwise they are text.
 */
export function planSpeech(text: string, pauses: boolean): SpeechStep[] {
  const steps: SpeechStep[] = []
  for (const part of pauses ? splitPauses(text) : [{ type: 'text' as const, text }]) {
    if (part.type === 'pause') steps.push({ type: 'pause', seconds: part.seconds })
    else addText(steps, part.text)
  }
  return steps.some(({ type }) => type === 'speech') || pauses ? steps : []
}

function addText(steps: SpeechStep[], text: string): void {
  let gap = false
  for (const sentence of sentencesOf(text)) {
    if (SPEAKABLE.test(sentence)) {
      if (gap) steps.push({ type: 'gap', seconds: PARAGRAPH_SECONDS })
      steps.push({ type: 'speech', text: sentence.trim() })
      gap = false
    }
    if (steps.length > 0 && lineBreaks(sentence) > 1) gap = true
  }
}

/** Sentences. The splitter cuts long ones for short utterances, and a server speaks a whole sentence better. */
function sentencesOf(text: string): string[] {
  const whole: string[] = []
  let parts = ''
  for (const { text: part, join } of splitSentences(text)) {
    parts += part
    const isLong = parts.length > 400 && join === 'clause'
    if (join === 'cut' || (join === 'clause' && !isLong)) continue
    whole.push(parts)
    parts = ''
  }
  if (parts !== '') whole.push(parts)
  return whole
}
