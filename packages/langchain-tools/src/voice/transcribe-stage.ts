import { checkOptions, toolClient } from '@svc-audio/agent-tools'
import { ConfigurationError, type PcmFormat, type PureAudioClient } from '@svc-audio/core'
import { encodeWav, pcmSeconds } from '@svc-audio/core/audio'
import type { Open, TranscriptionModel } from '@svc-audio/core/interface'
import { abortSignal, flag, methods, object, optional, type OptionRule, text as someText } from '#options'
import { type DetectedUtterance, MelodyMeasure, voiceEvent, type VoiceEvent } from '@svc-audio/voice'
import { type BargeInPolicy, bargeInPolicy, isBargeIn } from './barge-in.ts'
import type { VoiceConversation } from './conversation.ts'
import { type EventChannel, runStage } from './event-channel.ts'

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
  /**
   * Whether recognition begins in each short pause of the user, and is final when the pause ends the utterance. It takes a
   * part of the wait before an answer, and costs a transcription for each pause within an utterance. Only for utterances of
   * `detectUtterances`.
   * @default true
   */
  readonly early?: boolean
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
  early: optional(flag),
  signal: optional(abortSignal),
}

/** Longest utterance, in bytes: ten minutes of 48 kHz stereo. */
const MAX_BYTES = 128 * 1024 * 1024

/** Seconds of sound after which the words so far are looked for. */
const CHECK_SECONDS = 2
/** Seconds without speech after which recognition begins. Gaps between words are shorter. */
const EARLY_SECONDS = 0.16

/**
 * Speech to text: `user_input` when a sound of the user begins, `stt_early` when the words so far are known in a pause,
 * `stt_output` when it is transcribed. A melody, a sound
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
    const detected = isDetected(utterance) ? utterance : undefined
    const early = new EarlyTranscript((file, signal) => this.#request(file, signal), this.#signal)
    const check = new AbortController()
    const isRead = await this.#try(async () => {
      for (let next: IteratorResult<Uint8Array, void> = first; next.done !== true; next = await pieces.next()) {
        this.#signal.throwIfAborted()
        recording.add(next.value)
        if (this.#isLong(recording)) void this.#check(recording, check.signal)
        if (detected !== undefined && this.#options.early !== false && early.follow(detected, recording))
          void this.#tellEarly(early, this.#unsaid)
      }
      return true
    })
    check.abort()
    const heard = isRead === true ? recording : new Recording({})
    this.#unsaid = this.#transcribe({ recording: heard, detected, early, number: this.#utterances }, this.#unsaid)
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
    try {
      const text = await this.#request(recording.file(), signal)
      if (text.trim() === '' && !signal.aborted) this.#out.push(voiceEvent({ type: 'user_noise', transcript: '' }))
    } catch {
      // The whole utterance is transcribed in any case, and reports its failure.
    }
  }

  async #request(file: Uint8Array, signal: AbortSignal): Promise<string> {
    const { client, model = 'svc-transcribe-1.0' } = this.#options
    return (await client.transcriptions.create({ model, file }, { signal })).text
  }

  /** Tells the words so far, unless the user continues before they are known. */
  async #tellEarly(early: EarlyTranscript, before: Promise<string>): Promise<void> {
    const words = early.words
    if (words === undefined) return
    const parts = await Promise.all([before, words]).catch(() => [])
    if (early.words !== words || early.isOver) return
    const transcript = joined(parts)
    if (transcript !== '') this.#out.push(voiceEvent({ type: 'stt_early', transcript }))
  }

  /** @returns The words, unless they are said: then nothing. */
  async #transcribe({ recording, detected, early, number }: HeardUtterance, before: Promise<string>): Promise<string> {
    const request = async (): Promise<string> => {
      const begun = early.end()
      if (recording.isEmpty || recording.isMelody) return ''
      // A failure of the early request is that of its beginning: the whole is requested then.
      const known = await begun?.catch(() => undefined)
      this.#signal.throwIfAborted()
      return known ?? this.#request(recording.file(detected?.speechStart), this.#signal)
    }
    const [earlier, words = ''] = await Promise.all([before, this.#try(request)])
    if (words.trim() === '') detected?.reject()
    const transcript = joined([earlier, words])
    if (number !== this.#utterances) return transcript
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

/** An utterance that has ended. */
interface HeardUtterance {
  readonly recording: Recording
  readonly detected: DetectedUtterance | undefined
  readonly early: EarlyTranscript
  /** Its number among the utterances. */
  readonly number: number
}

/** One text of several. */
function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ')
}

function isDetected(utterance: Utterance): utterance is DetectedUtterance {
  return 'quietSeconds' in utterance && 'speechStart' in utterance
}

/** Transcribes an utterance in its pauses, before it is known whether it has ended. */
class EarlyTranscript {
  readonly #request: (file: Uint8Array, signal: AbortSignal) => Promise<string>
  readonly #signal: AbortSignal
  #controller = new AbortController()
  #words: Promise<string> | undefined
  #isOver = false

  constructor(request: (file: Uint8Array, signal: AbortSignal) => Promise<string>, signal: AbortSignal) {
    this.#request = request
    this.#signal = signal
  }

  /** The words so far, in this pause. */
  get words(): Promise<string> | undefined {
    return this.#words
  }

  /** Whether the utterance has ended. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Follows the utterance, piece by piece. @returns Whether a request begins */
  follow({ quietSeconds, speechStart }: DetectedUtterance, recording: Recording): boolean {
    if (quietSeconds === 0 && this.#words !== undefined) {
      this.#controller.abort()
      this.#controller = new AbortController()
      this.#words = undefined
    }
    if (quietSeconds < EARLY_SECONDS || this.#words !== undefined || recording.isMelody) return false
    this.#words = this.#request(recording.file(speechStart), AbortSignal.any([this.#signal, this.#controller.signal]))
    this.#words.catch(() => {})
    return true
  }

  /** The utterance has ended. @returns its words, if it has ended in this pause */
  end(): Promise<string> | undefined {
    this.#isOver = true
    return this.#words
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

  /** @param start Bytes that are left out at the beginning. @default none */
  file(start = 0): Uint8Array {
    if (this.#format === undefined) return Buffer.concat(this.#chunks)
    return encodeWav(this.#format, start === 0 ? this.#chunks : [Buffer.concat(this.#chunks).subarray(start)])
  }
}
