import type { Sentence } from './sentence.ts'
import type { SpeechStep } from './speech-plan.ts'
import { TimeStretch } from './time-stretch.ts'

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

/** Largest chunk, in bytes, so that a stream flows evenly. */
const CHUNK_BYTES = 8192

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
    if ('seconds' in part) yield* silence(part.seconds / (part.isPause ? 1 : options.speed), options.sampleRate)
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
  const total = Math.round(expectedSeconds * sampleRate) * 2
  let written = 0
  let held: { readonly pcm: Uint8Array; readonly seconds: number; readonly text: string }[] = []
  let [heldSeconds, isLast] = [0, false]
  const flush = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    const spoken = held.reduce((sum, { text }) => sum + text.length, 0)
    const rest = isLast || spoken === 0 ? heldSeconds : (heldSeconds * characters) / spoken
    const speed = left <= 0 ? FASTEST : Math.min(FASTEST, Math.max(SLOWEST, rest / left))
    for (const { pcm, seconds, text } of held) {
      if (text === '') yield* silence(seconds, sampleRate)
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
      written += chunk.length
      yield chunk
    }
  }
  isLast = true
  for await (const chunk of flush()) {
    written += chunk.length
    yield chunk
  }
  yield* silence(Math.max(0, total - written) / 2 / sampleRate, sampleRate)
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
    for await (const chunk of chunks) yield* pieces(chunk)
    return
  }
  const stretch = new TimeStretch(speed, sampleRate)
  for await (const chunk of chunks) {
    // A second at a time: other work of the process runs in between.
    for (const piece of pieces(chunk)) yield* pieces(bytesOf(stretch.push(samplesOf(piece))))
  }
  yield* pieces(bytesOf(stretch.end()))
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

function* pieces(pcm: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < pcm.length; at += CHUNK_BYTES) yield pcm.subarray(at, at + CHUNK_BYTES)
}

function* silence(seconds: number, sampleRate: number): Generator<Uint8Array, void, undefined> {
  for (let left = 2 * Math.round(seconds * sampleRate); left > 0; left -= CHUNK_BYTES) {
    yield new Uint8Array(Math.min(left, CHUNK_BYTES))
  }
}
