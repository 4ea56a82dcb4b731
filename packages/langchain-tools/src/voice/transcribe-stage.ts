import {
  checkClient,
  checkObject,
  checkOptions,
  checkSignal,
  checkText,
  type OptionCheck,
} from '@svc-audio/agent-tools'
import { encodeWav } from '@svc-audio/core/streaming'
import type { Open, TranscriptionModel } from '@svc-audio/core/interface'
import type { PcmFormat, PureAudioClient } from '@svc-audio/core'
import type { EventChannel } from './event-channel.ts'
import { type VoiceEvent, voiceEvent } from './events.ts'
import { runStage } from './run-stage.ts'

/**
 * What the user says in one go: a complete recording, or its pieces while the user speaks. What ends it (a button, a
 * detector of silence) is the application's.
 */
export type Utterance = Uint8Array | Blob | AsyncIterable<Uint8Array>

/** Options of {@link transcribeStage}. */
export interface TranscribeStageOptions {
  readonly client: PureAudioClient
  /** @default 'svc-transcribe-1.0' */
  readonly model?: Open<TranscriptionModel>
  /** Format of utterances that are raw PCM. @default utterances are audio files, such as WAV or WebM */
  readonly format?: PcmFormat
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

const OPTIONS: Readonly<Record<keyof TranscribeStageOptions, OptionCheck>> = {
  client: checkClient,
  model: checkText,
  format: checkObject,
  signal: checkSignal,
}

/** Longest utterance, in bytes: ten minutes of 48 kHz stereo. */
const MAX_BYTES = 128 * 1024 * 1024

/**
 * Speech to text: `user_input` when the user begins to speak, `stt_output` when the utterance is transcribed. An
 * utterance that begins before the transcript of the last one is there continues it: one `stt_output` has the words of
 * both, so the agent does not answer half a question. A failed transcription is an `error` event. Utterances without
 * words give no `stt_output`. The end of the reading aborts the transcription upstream.
 * @throws ConfigurationError naming the option
 */
export function transcribeStage(
  utterances: AsyncIterable<Utterance>,
  options: TranscribeStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  checkOptions(options, OPTIONS, ['client'])
  return runStage(utterances, options.signal, async (source, out, signal) => {
    const listener = new Listener(options, out, signal)
    for await (const utterance of source) {
      signal.throwIfAborted()
      await listener.hear(utterance)
    }
    await listener.done
  })
}

/** Transcribes utterances in the background and joins those that belong together. */
class Listener {
  /** Words that no `stt_output` has yet, once the transcriptions in flight are done. */
  #unsaid: Promise<string> = Promise.resolve('')
  #utterances = 0
  readonly #options: TranscribeStageOptions
  readonly #out: EventChannel
  readonly #signal: AbortSignal

  constructor(options: TranscribeStageOptions, out: EventChannel, signal: AbortSignal) {
    this.#options = options
    this.#out = out
    this.#signal = signal
  }

  /** Resolves when every utterance is transcribed. */
  get done(): Promise<unknown> {
    return this.#unsaid
  }

  /** Resolves at the end of the utterance, before its transcript is there. */
  async hear(utterance: Utterance): Promise<void> {
    const pieces = piecesOf(utterance)
    const first = await this.#try(() => pieces.next())
    if (first === undefined || first.done === true) return
    this.#utterances += 1
    this.#out.push(voiceEvent({ type: 'user_input' }))
    const file = await this.#try(() => collect(first.value, pieces, this.#options, this.#signal))
    this.#unsaid = this.#transcribe(file, this.#unsaid, this.#utterances)
    // An abort has its own way to the reader.
    this.#unsaid.catch(() => {})
  }

  /** @returns The words, unless they are said: then nothing. */
  async #transcribe(file: Uint8Array | undefined, before: Promise<string>, utterance: number): Promise<string> {
    const { client, model = 'svc-transcribe-1.0' } = this.#options
    const request = async (): Promise<string> =>
      file === undefined ? '' : (await client.transcriptions.create({ model, file }, { signal: this.#signal })).text
    const parts = await Promise.all([before, this.#try(request)])
    const transcript = parts.map((part = '') => part.trim()).filter((part) => part !== '')
    if (transcript.length === 0 || utterance !== this.#utterances) return transcript.join(' ')
    this.#out.push(voiceEvent({ type: 'stt_output', transcript: transcript.join(' ') }))
    return ''
  }

  /** A failure is an event, and the pipeline continues. */
  async #try<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#signal.throwIfAborted()
      this.#out.push(voiceEvent({ type: 'error', stage: 'transcribe', error }))
      return undefined
    }
  }
}

async function* piecesOf(utterance: Utterance): AsyncGenerator<Uint8Array, void, undefined> {
  if (utterance instanceof Uint8Array) yield utterance
  else if (utterance instanceof Blob) yield* utterance.stream()
  else yield* utterance
}

/** Reads the whole utterance: a request must not wait for a user who is still speaking. */
async function collect(
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
  { format }: TranscribeStageOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chunks = [first]
  let bytes = first.byteLength
  for await (const chunk of rest) {
    signal.throwIfAborted()
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES)
      throw new RangeError(`An utterance is longer than ${MAX_BYTES} bytes. End it earlier, for example after a pause`)
  }
  return format === undefined ? Buffer.concat(chunks) : encodeWav(format, chunks)
}
