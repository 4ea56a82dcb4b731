import { checkOptions, toolClient } from '@svc-audio/agent-tools'
import { ConfigurationError, type PcmFormat, type PureAudioClient } from '@svc-audio/core'
import { encodeWav, pcmSeconds } from '@svc-audio/core/audio'
import type { Open, TranscriptionModel } from '@svc-audio/core/interface'
import {
  abortSignal,
  fields,
  flag,
  integer,
  methods,
  object,
  optional,
  type OptionRule,
  positive,
  text as someText,
} from '#options'
import { MelodyMeasure, voiceEvent, type VoiceEvent } from '@svc-audio/voice'
import type { VoiceConversation } from './conversation.ts'
import { type EventChannel, runStage } from './event-channel.ts'

/** What ends an answer that is spoken. Everything else that the user lets hear pauses it, and it continues. */
export interface BargeInPolicy {
  /** Fewest words. 2 lets an answer continue after "yes" and "okay". @default 1 */
  readonly words?: number
  /** Shortest utterance, in seconds. Needs `format`. @default any */
  readonly seconds?: number
  /**
   * Seconds of sound after which the words so far are looked for. Without any, the answer continues, so that music does not
   * hold it. It is one transcription more for each longer utterance. Needs `format`.
   * @default 2
   */
  readonly checkSeconds?: number
}

const FIELDS: Readonly<Record<keyof BargeInPolicy, OptionRule>> = {
  words: optional(integer(1)),
  seconds: optional(positive('seconds')),
  checkSeconds: optional(positive('seconds')),
}

/** The option is a {@link BargeInPolicy}. */
export const bargeInPolicy: OptionRule = optional(fields(FIELDS))

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Whether an utterance ends an answer. @param seconds Its length, where it is known. */
function isBargeIn(transcript: string, seconds: number | undefined, policy: BargeInPolicy = {}): boolean {
  const { words: leastWords = 1, seconds: leastSeconds = 0 } = policy
  if (seconds !== undefined && seconds < leastSeconds) return false
  let count = 0
  for (const { isWordLike } of words.segment(transcript)) if (isWordLike === true) count += 1
  return count >= leastWords
}

/**
 * What the user says in one go: a complete recording, or its pieces while the user speaks. What ends it (a button, a
 * detector of silence) is the application's.
 */
export type Utterance = Uint8Array | Blob | AsyncIterable<Uint8Array>

/** Options of {@link transcribeStage}. */
export interface TranscribeStageOptions {
  /** The client, which holds key and address. The caller closes it. */
  readonly client: PureAudioClient
  /** @default 'svc-transcribe-1.0' */
  readonly model?: Open<TranscriptionModel>
  /** Format of utterances that are raw PCM. @default utterances are audio files, such as WAV or WebM */
  readonly format?: PcmFormat
  /** The conversation of the other stages. It tells whether an answer is spoken. */
  readonly conversation?: VoiceConversation
  /** What ends an answer that is spoken. Needs `conversation`. @default one word */
  readonly bargeIn?: BargeInPolicy
  /**
   * Whether melodies are noise: instruments, whistling, humming, ringing. Recognizers write words for them. They are not
   * transcribed. It needs a `format` of 16-bit mono.
   * @default true
   */
  readonly ignoreMelodies?: boolean
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

const OPTIONS: Readonly<Record<keyof TranscribeStageOptions, OptionRule>> = {
  client: toolClient,
  model: optional(someText),
  format: optional(object),
  conversation: optional(methods('begin', 'answered')),
  bargeIn: bargeInPolicy,
  ignoreMelodies: optional(flag),
  signal: optional(abortSignal),
}

/** Longest utterance, in bytes: ten minutes of 48 kHz stereo. */
const MAX_BYTES = 128 * 1024 * 1024

/** Seconds of sound after which the words so far are looked for. */
const CHECK_SECONDS = 2

/**
 * Speech to text: `user_input` when a sound of the user begins, `stt_output` when it is transcribed. A melody, a sound
 * without words, or with fewer than `bargeIn` asks for while an answer is spoken, is `user_noise` instead. An utterance that
 * begins before the transcript of the last one is there continues it: one `stt_output` has the words of both, so the
 * agent does not answer half a question. A failed transcription is an `error` event, and counts as no words. The end of
 * the reading aborts the transcription upstream.
 * @throws ConfigurationError naming the option
 */
export function transcribeStage(
  utterances: AsyncIterable<Utterance>,
  options: TranscribeStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  checkOptions(options, OPTIONS, 'transcribeStage()')
  const { bargeIn, conversation, format } = options
  if (bargeIn !== undefined && conversation === undefined)
    throw new ConfigurationError('`bargeIn` needs `conversation`: it tells whether an answer is spoken')
  if (options.ignoreMelodies === true && (format?.channels !== 1 || format.bitDepth !== 16))
    throw new ConfigurationError('`ignoreMelodies` needs a `format` of 16-bit mono: without it, nothing is measured')
  if ((bargeIn?.seconds ?? bargeIn?.checkSeconds) !== undefined && format === undefined)
    throw new ConfigurationError('`bargeIn.seconds` and `bargeIn.checkSeconds` need `format`: the utterances are files')
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
  /** Utterances that have begun. */
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
    const recording = new Recording(this.#options)
    const check = new AbortController()
    const isRead = await this.#try(async () => {
      for (let next: IteratorResult<Uint8Array, void> = first; next.done !== true; next = await pieces.next()) {
        this.#signal.throwIfAborted()
        recording.add(next.value)
        if (this.#isLong(recording)) void this.#check(recording, check.signal)
      }
      return true
    })
    check.abort()
    const heard = isRead === true ? recording : new Recording({})
    this.#unsaid = this.#transcribe(heard, this.#unsaid, this.#utterances)
    // An abort has its own way to the reader.
    this.#unsaid.catch(() => {})
  }

  /** Whether it has become so long that its words are looked for, because an answer waits for them. */
  #isLong(recording: Recording): boolean {
    const { conversation, bargeIn } = this.#options
    return conversation?.isAnswering === true && recording.passes(bargeIn?.checkSeconds ?? CHECK_SECONDS)
  }

  /** Looks for words in the beginning of an utterance. */
  async #check(recording: Recording, ended: AbortSignal): Promise<void> {
    if (recording.isMelody) {
      this.#out.push(voiceEvent({ type: 'user_noise', transcript: '' }))
      return
    }
    const signal = AbortSignal.any([this.#signal, ended])
    const file = recording.file()
    const { client, model = 'svc-transcribe-1.0' } = this.#options
    try {
      const { text } = await client.transcriptions.create({ model, file }, { signal })
      if (text.trim() === '' && !signal.aborted) this.#out.push(voiceEvent({ type: 'user_noise', transcript: '' }))
    } catch {
      // The whole utterance is transcribed in any case, and reports its failure.
    }
  }

  /** @returns The words, unless they are said: then nothing. */
  async #transcribe(recording: Recording, before: Promise<string>, utterance: number): Promise<string> {
    const { client, model = 'svc-transcribe-1.0' } = this.#options
    const request = async (): Promise<string> =>
      recording.isEmpty || recording.isMelody
        ? ''
        : (await client.transcriptions.create({ model, file: recording.file() }, { signal: this.#signal })).text
    const parts = await Promise.all([before, this.#try(request)])
    const transcript = parts
      .map((part = '') => part.trim())
      .filter((part) => part !== '')
      .join(' ')
    if (utterance !== this.#utterances) return transcript
    const { bargeIn, conversation } = this.#options
    const isSaid =
      transcript !== '' && (conversation?.isAnswering !== true || isBargeIn(transcript, recording.seconds, bargeIn))
    this.#out.push(voiceEvent({ type: isSaid ? 'stt_output' : 'user_noise', transcript }))
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

/** The audio of an utterance. A request waits for its end: it must not wait for a user who is still speaking. */
class Recording {
  readonly #format: PcmFormat | undefined
  readonly #melody: MelodyMeasure | undefined
  readonly #chunks: Uint8Array[] = []
  #bytes = 0
  #isPassed = false

  constructor({ format, ignoreMelodies = true }: Pick<TranscribeStageOptions, 'format' | 'ignoreMelodies'>) {
    this.#format = format
    const isMeasured = ignoreMelodies && format?.channels === 1 && format.bitDepth === 16
    this.#melody = isMeasured ? new MelodyMeasure(format) : undefined
  }

  /** Whether it is a melody so far. */
  get isMelody(): boolean {
    return this.#melody?.isMelody === true
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** Its length, for PCM. */
  get seconds(): number | undefined {
    return this.#format === undefined ? undefined : pcmSeconds(this.#format, this.#bytes)
  }

  /** @throws RangeError when it is too long */
  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#melody?.push(chunk)
    this.#bytes += chunk.byteLength
    if (this.#bytes > MAX_BYTES)
      throw new RangeError(`An utterance is longer than ${MAX_BYTES} bytes. End it earlier, for example after a pause`)
  }

  /** Whether it is this long for the first time. */
  passes(seconds: number): boolean {
    if (this.#isPassed || (this.seconds ?? 0) < seconds) return false
    this.#isPassed = true
    return true
  }

  file(): Uint8Array {
    return this.#format === undefined ? Buffer.concat(this.#chunks) : encodeWav(this.#format, this.#chunks)
  }
}
