import {
  RECOGNITION_SAMPLE_RATE,
  DETECTOR_FRAME_SAMPLES,
  type LiveDetector,
  type RecognizeOptions,
} from '@svc-audio/engine-ports'
import { z } from 'zod'
import { newId } from '../../../domain/ids.ts'
import { DIARIZING_MODEL } from '../../../domain/models.ts'
import { bodyError, invalid, isInternalError, ServiceError } from '../../../domain/service-error.ts'
import type { WorkMeter } from '../../../domain/usage.ts'
import type { Services } from '../../../services.ts'
import { type LiveOptions, transcribeSamples, warmUp } from '../../../use-cases/transcription/live.ts'
import { toServiceError } from '../../../use-cases/to-service-error.ts'
import { openaiErrorBody } from '../names.ts'
import { primaryOf, requireLanguage } from '../languages.ts'
import { phrasesOf, termsFor } from '../transcripts.ts'
import { InputAudio } from './input-audio.ts'
import {
  conversation,
  defaultOptions,
  type Dialect,
  requireTranscription,
  SessionFields,
  type SessionOptions,
  updatedOptions,
  viewSession,
} from './session-options.ts'
import { SoundBuffer } from './sound-buffer.ts'
import { TurnDetector } from './turns.ts'

/** Longest sound that waits for a commit of the client, in seconds. */
const MAX_BUFFER_SECONDS = 300

/** Sound that may wait for the recognizer, in seconds. Beyond it, the session reads no more of its client. */
const MAX_QUEUE_SECONDS = 60

/** The shortest sound that can be committed, in seconds. */
const LEAST_COMMIT_SECONDS = 0.1

/** A recognizer without work for a minute frees its memory. */
const IDLE_RECOGNIZER_MS = 45_000

/** What a session needs of its connection. */
export interface SessionParts {
  readonly tenant: string
  readonly dialect: Dialect
  /** Model of the address, if it has one. */
  readonly model?: string | undefined
  /** Sends an event to the client. */
  readonly send: (event: object) => void
  /** Aborts when the client disconnects or the service stops. */
  readonly signal: AbortSignal
  /** Measures the recognized sound. */
  readonly meter: WorkMeter
  /** Called when a turn was heard, or has failed. */
  readonly onTurnEnd: () => void
}

const ClientEvent = z.looseObject({
  type: z.string(),
  event_id: z.string().nullish(),
  audio: z.string().optional(),
  session: SessionFields.optional(),
})

/** A parsed event of the client. */
type ClientEvent = z.infer<typeof ClientEvent>

/**
 * A transcription session of OpenAI's Realtime interface. It finds the turns of the speaker and transcribes each of them.
 * Events of the client are handled in order. Turns are transcribed in order, while further sound arrives.
 */
export class RealtimeSession {
  readonly #services: Services
  readonly #parts: SessionParts
  readonly #id = newId('sess')
  #options: SessionOptions
  #audio: InputAudio
  readonly #buffer = new SoundBuffer()
  #detector: LiveDetector | undefined
  #turns: TurnDetector | undefined
  /** Position of the first frame of the detector. */
  #firstFrame = 0
  /** Id of the turn that has begun. */
  #item: string | undefined
  #lastItem: string | null = null
  #events: Promise<void> = Promise.resolve()
  #hearing: Promise<void> = Promise.resolve()
  #queuedSamples = 0
  /** When the recognizer was last in use, in milliseconds since 1970. */
  #lastUse = -Infinity

  /** @throws ServiceError for a model that does not transcribe */
  constructor(services: Services, parts: SessionParts) {
    this.#services = services
    this.#parts = parts
    this.#options = defaultOptions(parts.model)
    requireTranscription(this.#options.model)
    this.#audio = new InputAudio(this.#options.format)
  }

  /** Tells the client that the session exists. */
  begin(): void {
    this.#openDetector()
    this.#warmUp()
    this.#tell(this.#parts.dialect === 'ga' ? 'session.created' : 'transcription_session.created', {
      session: viewSession(this.#id, this.#options, this.#parts.dialect),
    })
  }

  /** Handles an event of the client. Resolves when the session can take another one. It never rejects. */
  receive(text: string): Promise<void> {
    this.#events = this.#events.then(() => this.#receive(text))
    return this.#events
  }

  /** Releases everything. Resolves when no work is left. */
  async end(): Promise<void> {
    this.#closeDetector()
    await this.#events
    this.#closeDetector()
    await this.#hearing
  }

  async #receive(text: string): Promise<void> {
    if (this.#parts.signal.aborted) return
    let event: ClientEvent | undefined
    try {
      event = parseEvent(text)
      await this.#handle(event)
      // The connection reads on when the recognizer has caught up.
      if (this.#queuedSamples > MAX_QUEUE_SECONDS * RECOGNITION_SAMPLE_RATE) await this.#hearing
    } catch (error) {
      if (this.#parts.signal.aborted) return
      this.#tell('error', { error: { ...this.#errorOf(error), event_id: event?.event_id ?? null } })
    }
  }

  async #handle(event: ClientEvent): Promise<void> {
    switch (event.type) {
      case 'session.update':
      case 'transcription_session.update':
        return this.#update(event)
      case 'input_audio_buffer.append':
        return this.#append(event.audio)
      case 'input_audio_buffer.commit':
        return this.#commitAll()
      case 'input_audio_buffer.clear':
        this.#buffer.dropBefore(this.#buffer.end)
        this.#openDetector()
        return this.#tell('input_audio_buffer.cleared', {})
      default:
        if (/^(?:response|conversation|output_audio_buffer)\./.test(event.type)) throw conversation('type')
        throw invalid(
          'invalid_value',
          'type',
          `${JSON.stringify(event.type.slice(0, 60))} is not an event of a transcription session: send session.update or input_audio_buffer.append, .commit or .clear`,
        )
    }
  }

  #update({ type, session }: ClientEvent): void {
    if (session === undefined) throw invalid('missing_required_field', 'session', 'session is required')
    const before = this.#options
    this.#options = updatedOptions(before, session, (...given) => requireLanguage(this.#services, ...given))
    if (JSON.stringify(this.#options.format) !== JSON.stringify(before.format)) {
      this.#audio = new InputAudio(this.#options.format)
    }
    if (JSON.stringify(this.#options.turns) !== JSON.stringify(before.turns)) this.#openDetector()
    const isBeta = type === 'transcription_session.update'
    this.#tell(isBeta ? 'transcription_session.updated' : 'session.updated', {
      session: viewSession(this.#id, this.#options, isBeta ? 'beta' : this.#parts.dialect),
    })
  }

  async #append(audio: string | undefined): Promise<void> {
    if (audio === undefined)
      throw invalid('missing_required_field', 'audio', 'audio is required: base64 of the samples')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(audio)) throw invalid('invalid_value', 'audio', 'audio must be base64')
    const samples = this.#audio.push(Buffer.from(audio, 'base64'))
    if (samples.length === 0) return
    this.#buffer.push(samples)
    if (this.#turns === undefined || this.#detector === undefined) {
      if (this.#buffer.end - this.#buffer.start <= MAX_BUFFER_SECONDS * RECOGNITION_SAMPLE_RATE) return
      this.#buffer.dropBefore(this.#buffer.end)
      const message = `More than ${MAX_BUFFER_SECONDS} seconds waited for input_audio_buffer.commit and were dropped`
      throw new ServiceError(400, 'invalid_range', message, { param: 'audio' })
    }
    const turns = this.#turns
    const probabilities = await this.#detector.judge(samples).catch((error: unknown) => {
      this.#reopenDetector()
      throw error
    })
    for (const probability of probabilities) {
      const change = turns.push(probability)
      if (change?.type === 'started') this.#start(change.frame)
      else if (change?.type === 'stopped') {
        this.#stop(change.frame)
        if (change.continues) this.#start(change.frame)
      }
    }
    this.#buffer.dropBefore(Math.min(this.#buffer.end, this.#positionOf(turns.firstNeeded)))
  }

  #start(frame: number): void {
    this.#buffer.dropBefore(this.#positionOf(frame))
    this.#item = newId('item')
    this.#warmUp()
    const audio_start_ms = milliseconds(this.#buffer.start)
    this.#tell('input_audio_buffer.speech_started', { audio_start_ms, item_id: this.#item })
  }

  #stop(frame: number): void {
    const end = this.#positionOf(frame)
    this.#tell('input_audio_buffer.speech_stopped', { audio_end_ms: milliseconds(end), item_id: this.#item })
    this.#commit(this.#buffer.take(end))
  }

  /** A commit of the client. */
  #commitAll(): void {
    const { start, end } = this.#buffer
    if (end - start < LEAST_COMMIT_SECONDS * RECOGNITION_SAMPLE_RATE) {
      const message =
        'The buffer has less than 100 ms of audio, and keeps it: send input_audio_buffer.append before the commit'
      throw new ServiceError(400, 'invalid_value', message, { param: 'audio' })
    }
    const samples = this.#buffer.take(end)
    this.#openDetector({ keepsItem: true })
    this.#commit(samples)
  }

  #commit(samples: Int16Array<ArrayBuffer>): void {
    const item_id = this.#item ?? newId('item')
    const previous_item_id = this.#lastItem
    this.#item = undefined
    this.#lastItem = item_id
    this.#tell('input_audio_buffer.committed', { previous_item_id, item_id })
    const item = {
      id: item_id,
      object: 'realtime.item',
      type: 'message',
      status: 'completed',
      role: 'user',
      content: [{ type: 'input_audio', transcript: null }],
    }
    if (this.#parts.dialect === 'beta') this.#tell('conversation.item.created', { previous_item_id, item })
    else for (const what of ['added', 'done']) this.#tell(`conversation.item.${what}`, { previous_item_id, item })
    const options = this.#options
    this.#queuedSamples += samples.length
    this.#hearing = this.#hearNext(this.#hearing, () => this.#hear(item_id, samples, options), samples.length)
  }

  /** Hears a turn after those before it. */
  async #hearNext(before: Promise<void>, hear: () => Promise<void>, samples: number): Promise<void> {
    await before
    await hear()
    this.#parts.onTurnEnd()
    this.#queuedSamples -= samples
  }

  async #hear(item_id: string, samples: Int16Array<ArrayBuffer>, options: SessionOptions): Promise<void> {
    const { tenant, signal, meter } = this.#parts
    const about = { item_id, content_index: 0 }
    let space = ''
    try {
      signal.throwIfAborted()
      const model = requireTranscription(options.model)
      const language = options.language === undefined ? undefined : primaryOf(options.language)
      const { text } = await transcribeSamples(this.#services, samples, {
        tenant,
        id: item_id,
        signal,
        meter,
        model,
        language,
        ...this.#hintsOf(options, { model, language }),
        onUtterance: (utterance) => {
          const delta = space + utterance.text
          space = ' '
          this.#tell('conversation.item.input_audio_transcription.delta', { ...about, delta })
        },
      })
      this.#lastUse = this.#services.runtime.clock.now()
      const usage = { type: 'duration', seconds: Math.ceil(samples.length / RECOGNITION_SAMPLE_RATE) }
      this.#tell('conversation.item.input_audio_transcription.completed', { ...about, transcript: text, usage })
    } catch (error) {
      if (signal.aborted) return
      const failure = this.#errorOf(error)
      this.#tell('conversation.item.input_audio_transcription.failed', { ...about, error: failure })
    }
  }

  /** The prompt for a recognizer that takes one, else its phrases, and the keywords. */
  #hintsOf(
    { prompt = '', keywords }: SessionOptions,
    recording: Pick<RecognizeOptions, 'model' | 'language'>,
  ): Pick<LiveOptions, 'prompt' | 'keyterms'> {
    if (recording.model !== DIARIZING_MODEL) return {}
    const isPrompted = this.#services.engines.recognition.featuresFor?.(recording).includes('prompt') === true
    const keyterms = termsFor([...keywords, ...(isPrompted ? [] : phrasesOf(prompt))])
    return { keyterms, ...(isPrompted && prompt !== '' ? { prompt } : {}) }
  }

  /** Loads the recognizer, which takes seconds, while nobody or somebody still speaks. A recognizer in use is loaded. */
  #warmUp(): void {
    const now = this.#services.runtime.clock.now()
    const isLoaded = now - this.#lastUse < IDLE_RECOGNIZER_MS
    this.#lastUse = now
    if (isLoaded) return
    // The first turn meets the failure too, and tells the client.
    warmUp(this.#services, this.#parts.signal).catch(() => undefined)
  }

  /** Opens a detector for the later sound, if the session has one. */
  #openDetector({ keepsItem = false }: { readonly keepsItem?: boolean } = {}): void {
    this.#closeDetector()
    if (!keepsItem) this.#item = undefined
    this.#firstFrame = this.#buffer.end
    if (this.#options.turns === undefined) return
    this.#turns = new TurnDetector(this.#options.turns)
    this.#detector = this.#services.engines.detectors.open()
  }

  /** Replaces a detector that is lost. The turn is lost with it: the client is told by the error. */
  #reopenDetector(): void {
    this.#buffer.dropBefore(this.#buffer.end)
    if (!this.#parts.signal.aborted) this.#openDetector()
  }

  #closeDetector(): void {
    this.#detector?.close()
    this.#detector = undefined
    this.#turns = undefined
  }

  #positionOf(frame: number): number {
    return this.#firstFrame + frame * DETECTOR_FRAME_SAMPLES
  }

  #errorOf(error: unknown): object {
    const failure = toServiceError(error)
    if (isInternalError(failure)) {
      const fields = { err: failure.cause ?? error, tenant: this.#parts.tenant }
      this.#services.runtime.log.error(fields, 'a realtime session failed')
    }
    return openaiErrorBody(failure).error
  }

  #tell(type: string, fields: object): void {
    this.#parts.send({ type, event_id: newId('event'), ...fields })
  }
}

function milliseconds(position: number): number {
  return Math.round((1000 * position) / RECOGNITION_SAMPLE_RATE)
}

function parseEvent(text: string): ClientEvent {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new ServiceError(400, 'invalid_json', 'An event must be JSON')
  }
  const parsed = ClientEvent.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const param = (issue?.path ?? []).join('.')
  throw bodyError(param, issue?.message, param === '' ? 'The event' : param)
}
