import { lineBreaks, splitPauses } from '@svc-audio/core/text'
import { type SpeechStep, splitSentences } from '@svc-audio/engine-ports/speech'

/** Silence between two paragraphs, in seconds. Servers leave a sentence its own silence. */
const PARAGRAPH_SECONDS = 0.3

/** Something that a voice can say. */
const SPEAKABLE = /[\p{L}\p{N}]/u

/**
 * Plans the requests of a text: a sentence each, without those that have nothing to speak.
 * @param pauses Whether `[pause X.Ys]` markers are silence. Otherwise they are text.
 */
export function planRequests(text: string, pauses: boolean): SpeechStep[] {
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

/**
 * The audio of one sentence while it arrives. It is read at the server's pace and waits here for its reader, so a slow
 * reader keeps no connection.
 */
export class Sentence implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = []
  #state: { readonly ended: boolean; readonly error?: unknown } = { ended: false }
  #wake: (() => void) | undefined

  /** Adds a chunk. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#wake?.()
  }

  /** Ends the sentence. @param error Why it is not complete. @default it is complete */
  end(error?: unknown): void {
    if (this.#state.ended) return
    this.#state = error === undefined ? { ended: true } : { ended: true, error }
    this.#wake?.()
  }

  /** Yields the chunks. Throws the error of {@link Sentence.end} behind them. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        yield chunk
        continue
      }
      if (this.#state.error !== undefined) throw this.#state.error
      if (this.#state.ended) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
