import type { SpeechStep } from './plan-speech.ts'
import { silence, type SpeechLength, splitPcm } from './render-speech.ts'
import { TimeStretch } from './time-stretch.ts'

/** Starts to speak a sentence at the voice's own speed. The work begins with the call, and its chunks are read later. */
export type SpeakNaturally = (text: string) => AsyncIterable<Uint8Array>

/** The speech of a sentence that is being made, for {@link SpeakNaturally}. Its error is thrown where it is read. */
export function begun(made: Promise<Uint8Array>): AsyncIterable<Uint8Array> {
  // An earlier failure may end the reading.
  made.catch(() => undefined)
  return {
    async *[Symbol.asyncIterator]() {
      yield await made
    },
  }
}

/** Options of {@link renderNatural}. */
export interface NaturalOptions {
  /** Frames in a second, of one channel and 16 bits. */
  readonly sampleRate: number
  /** Length of the speech: by its speed, or as a whole. */
  readonly length: SpeechLength
  /** Sentences that are requested ahead of the reader. @default 2 */
  readonly ahead?: number
}

/** Slowest and fastest intelligible speech: the range of `speed` (interface: Limits). */
const SLOWEST = 0.25
const FASTEST = 4

/** Natural speech that is measured before the first part of a speech with an expected length is sent, in seconds. */
const MEASURED_SECONDS = 300

/**
 * Renders a plan to PCM for an engine that follows no speed, or follows it inexactly. Each sentence is spoken once, at the
 * voice's own speed, and its samples are stretched without a change of the pitch. A speed is exact, and so is an expected
 * length from a quarter to four times the natural one. Beyond these, silence at the end fills the rest, or the speech stays
 * longer.
 */
export async function* renderNatural(
  steps: readonly SpeechStep[],
  speak: SpeakNaturally,
  { sampleRate, length, ahead = 2 }: NaturalOptions,
): AsyncGenerator<Uint8Array, undefined> {
  const natural = naturalSpeech(steps, speak, ahead)
  if ('expectedSeconds' in length) {
    yield* fitted(steps, natural, sampleRate, length.expectedSeconds)
    return
  }
  for await (const part of natural) {
    if ('seconds' in part) yield* pause(part.seconds / (part.isPause ? 1 : length.speed), sampleRate)
    else yield* stretched(part.chunks, length.speed, sampleRate)
  }
}

/** Speech of a sentence, or silence. */
type Part =
  | { readonly text: string; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly seconds: number; readonly isPause: boolean }

/** Requests the first sentence alone, so that it is ready soonest, and then some ahead. */
async function* naturalSpeech(
  steps: readonly SpeechStep[],
  speak: SpeakNaturally,
  ahead: number,
): AsyncGenerator<Part, undefined> {
  const texts = steps.flatMap((step) => (step.type === 'speech' ? [step.text] : []))
  const requested: AsyncIterable<Uint8Array>[] = []
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
    if (sentence !== undefined) yield { text: step.text, chunks: noted(sentence, () => requestUpTo(read + ahead)) }
  }
}

/** Calls back at the first chunk. */
async function* noted(sentence: AsyncIterable<Uint8Array>, onFirst: () => void): AsyncGenerator<Uint8Array, undefined> {
  let first = true
  for await (const chunk of sentence) {
    if (first) onFirst()
    first = false
    yield chunk
  }
}

/**
 * Fits speech into a length. Up to {@link MEASURED_SECONDS} are measured whole and then changed evenly. Of longer speech,
 * the rest is estimated by its characters, and each further part corrects the estimate.
 */
async function* fitted(
  steps: readonly SpeechStep[],
  natural: AsyncIterable<Part>,
  sampleRate: number,
  expectedSeconds: number,
): AsyncGenerator<Uint8Array, undefined> {
  let characters = steps.reduce((sum, step) => (step.type === 'speech' ? sum + step.text.length : sum), 0)
  let left = expectedSeconds - steps.reduce((sum, step) => (step.type === 'speech' ? sum : sum + step.seconds), 0)
  const total = Math.round(expectedSeconds * sampleRate)
  let written = 0
  let held: { readonly pcm: Uint8Array; readonly seconds: number; readonly text: string }[] = []
  let [heldSeconds, isLast] = [0, false]
  const flush = async function* (): AsyncGenerator<Uint8Array, undefined> {
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
  let length = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    length += chunk.length
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

async function* once(pcm: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield pcm
}

async function* stretched(
  chunks: AsyncIterable<Uint8Array>,
  speed: number,
  sampleRate: number,
): AsyncGenerator<Uint8Array, undefined> {
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
  return silence(Math.max(0, Math.round(seconds * sampleRate)))
}

function samplesOf(pcm: Uint8Array): Int16Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.length)
  return Int16Array.from({ length: pcm.length >> 1 }, (_, index) => view.getInt16(2 * index, true))
}

function bytesOf(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(2 * samples.length)
  const view = new DataView(bytes.buffer)
  for (const [index, sample] of samples.entries()) view.setInt16(2 * index, sample, true)
  return bytes
}
