import { lineBreaks, splitPauses } from '@svc-audio/core/text'
import { silence, type SpeechStep, splitPcm, splitSentences } from '@svc-audio/engine-ports/speech'
import { TimeStretch } from './time-stretch.ts'

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
export class Sentence {
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
  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
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

/** Requests the speech of a sentence. */
export type Speak = (text: string) => Sentence

/** Options of {@link renderSpeech}. */
export interface RenderOptions {
  readonly sampleRate: number
  /** Sentences that are requested ahead of the reader. */
  readonly ahead: number
  /** Change of the speed of the samples. 1 leaves them as they are. */
  readonly speed: number
  /** Total length to aim for, in seconds. Overrides `speed`. @default the natural length */
  readonly expectedSeconds?: number | undefined
}

/** Slowest and fastest intelligible speech. */
const SLOWEST = 0.25
const FASTEST = 4

/** Natural speech that is measured before the first part of a speech with an expected length is sent, in seconds. */
const MEASURED_SECONDS = 300

/** Renders a plan to PCM. Each sentence is requested once, also where a length is expected. */
export async function* renderSpeech(
  steps: readonly SpeechStep[],
  speak: Speak,
  options: RenderOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const natural = naturalSpeech(steps, speak, options.ahead)
  if (options.expectedSeconds !== undefined) {
    yield* fitted(steps, natural, options.sampleRate, options.expectedSeconds)
    return
  }
  for await (const part of natural) {
    if ('seconds' in part) yield* pause(part.seconds / (part.isPause ? 1 : options.speed), options.sampleRate)
    else yield* stretched(part.chunks, options.speed, options.sampleRate)
  }
}

/** Speech of a sentence, or silence. */
type Part =
  | { readonly text: string; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly seconds: number; readonly isPause: boolean }

/** Requests the first sentence alone, so that it is ready soonest, and then some ahead. */
async function* naturalSpeech(
  steps: readonly SpeechStep[],
  speak: Speak,
  ahead: number,
): AsyncGenerator<Part, void, undefined> {
  const texts = steps.flatMap((step) => (step.type === 'speech' ? [step.text] : []))
  const requested: Sentence[] = []
  let [next, read] = [0, 0]
  const requestUpTo = (count: number): void => {
    while (next < Math.min(count, texts.length)) {
      requested.push(speak(texts[next] ?? ''))
      next += 1
    }
  }
  for (const step of steps) {
    if (step.type !== 'speech') {
      yield { seconds: step.seconds, isPause: step.type === 'pause' }
      continue
    }
    requestUpTo(read + 1)
    const sentence = requested.shift()
    read += 1
    if (sentence !== undefined) yield { text: step.text, chunks: begun(sentence, () => requestUpTo(read + ahead)) }
  }
}

/** Calls back at the first chunk. */
async function* begun(sentence: Sentence, onFirst: () => void): AsyncGenerator<Uint8Array, void, undefined> {
  let first = true
  for await (const chunk of sentence.read()) {
    if (first) onFirst()
    first = false
    yield chunk
  }
}

/**
 * Fits speech into a length. Most speech is measured whole and then changed evenly. Of longer speech, the rest is
 * estimated by its characters, and each further part corrects the estimate.
 */
async function* fitted(
  steps: readonly SpeechStep[],
  natural: AsyncIterable<Part>,
  sampleRate: number,
  expectedSeconds: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let characters = steps.reduce((sum, step) => (step.type === 'speech' ? sum + step.text.length : sum), 0)
  let left = expectedSeconds - steps.reduce((sum, step) => (step.type === 'speech' ? sum : sum + step.seconds), 0)
  const total = Math.round(expectedSeconds * sampleRate)
  let written = 0
  let held: { readonly pcm: Uint8Array; readonly seconds: number; readonly text: string }[] = []
  let [heldSeconds, isLast] = [0, false]
  const flush = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    const spoken = held.reduce((sum, { text }) => sum + text.length, 0)
    const rest = isLast || spoken === 0 ? heldSeconds : (heldSeconds * characters) / spoken
    const speed = left <= 0 ? FASTEST : Math.min(FASTEST, Math.max(SLOWEST, rest / left))
    for (const { pcm, seconds, text } of held) {
      if (text === '') yield* pause(seconds, sampleRate)
      else yield* stretched(once(pcm), speed, sampleRate)
    }
    left -= heldSeconds / speed
    characters -= spoken
    held = []
    heldSeconds = 0
  }
  for await (const part of natural) {
    if ('seconds' in part) held.push({ pcm: new Uint8Array(0), seconds: part.seconds, text: '' })
    else {
      const pcm = await gathered(part.chunks)
      held.push({ pcm, seconds: 0, text: part.text })
      heldSeconds += pcm.length / 2 / sampleRate
    }
    if (heldSeconds < MEASURED_SECONDS) continue
    for await (const chunk of flush()) {
      written += chunk.length / 2
      yield chunk
    }
  }
  isLast = true
  for await (const chunk of flush()) {
    written += chunk.length / 2
    yield chunk
  }
  yield* silence(Math.max(0, total - written))
}

async function gathered(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

async function* once(pcm: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield pcm
}

async function* stretched(
  chunks: AsyncIterable<Uint8Array>,
  speed: number,
  sampleRate: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (Math.abs(speed - 1) < 0.001) {
    for await (const chunk of chunks) yield* splitPcm(chunk)
    return
  }
  const stretch = new TimeStretch(speed, sampleRate)
  for await (const chunk of chunks) {
    // A second at a time: other work of the process runs in between.
    for (const piece of splitPcm(chunk)) yield* splitPcm(bytesOf(stretch.push(samplesOf(piece))))
  }
  yield* splitPcm(bytesOf(stretch.end()))
}

function pause(seconds: number, sampleRate: number): Iterable<Uint8Array> {
  return silence(Math.round(seconds * sampleRate))
}

function samplesOf(pcm: Uint8Array): Int16Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.length)
  return Int16Array.from({ length: pcm.length >> 1 }, (_, index) => view.getInt16(2 * index, true))
}

function bytesOf(samples: Int16Array): Uint8Array {
  const bytes = Buffer.alloc(2 * samples.length)
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * index)
  return bytes
}
