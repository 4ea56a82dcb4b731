import { VoiceClient, type VoiceLevels, type VoiceStatus } from '@svc-audio/voice/browser'
import { TALK_PATH, VOICE_WORKLET_PATH } from '../../../shared/api.ts'
import { closeMicrophone, openMicrophone } from '../../audio/microphone.ts'
import { createStore, type Store } from '../../lib/store.ts'
import { addEvent, addStatus, EMPTY_LOG, type TalkLog } from './talk-log.ts'

/** Loudness at a second of the conversation. */
export interface TalkLevels extends VoiceLevels {
  /** Seconds since the start. */
  readonly at: number
}

const ENDED = 'The conversation has ended.'

/** A conversation with the agent of the playground. Its microphone can change, and recordings can speak in its place. */
export class Conversation {
  readonly log: Store<TalkLog> = createStore(EMPTY_LOG)
  readonly status: Store<VoiceStatus> = createStore<VoiceStatus>('connecting')
  readonly levels: Store<TalkLevels> = createStore({ microphone: 0, speaker: 0, at: 0 })
  readonly #context = new AudioContext()
  /** What the agent hears: the microphone, and recordings. */
  readonly #ear = this.#context.createMediaStreamDestination()
  readonly #client: VoiceClient
  readonly #start = performance.now()
  readonly #ready = Promise.withResolvers<void>()
  #opened: Promise<void> | undefined
  #microphone: MediaStream | undefined
  #source: MediaStreamAudioSourceNode | undefined
  #isMuted = false
  #isClosed = false

  /**
   * Call it in a click or a key press: browsers allow no sound before.
   * @param voice That answers.
   * @param onEnd The server ended the conversation, or cannot be reached. The microphone is still open.
   */
  constructor(voice: string, onEnd: (reason: string) => void) {
    this.#ready.promise.catch(() => {})
    this.#client = new VoiceClient({
      url: `${TALK_PATH}?${new URLSearchParams({ voice }).toString()}`,
      microphone: this.#ear.stream,
      worklet: VOICE_WORKLET_PATH,
      onEvent: (event) => this.log.set(addEvent(this.log.get(), event, this.#now)),
      onStatus: (status) => this.#follow(status),
      onLevels: (levels) => this.levels.set({ ...levels, at: this.#now }),
      onEnd: ({ code, reason }) => onEnd(reason || `code ${code}`),
    })
  }

  get #now(): number {
    return (performance.now() - this.#start) / 1000
  }

  /** Opens the connection, once. @throws Error when the browser gives no sound, and after the end */
  open(): Promise<void> {
    this.#opened ??= this.#context.resume().then(() => {
      // The user may have pressed Stop while the browser asked for the microphone.
      if (this.#isClosed) throw new Error(ENDED)
      return this.#client.start()
    })
    return this.#opened
  }

  /** Listens to a microphone, in place of the one before. @throws DOMException; the one before then stays */
  async listen(device: string): Promise<void> {
    const microphone = await openMicrophone(device)
    closeMicrophone(this.#microphone)
    this.#source?.disconnect()
    if (this.#isClosed) return closeMicrophone(microphone)
    this.#microphone = microphone
    this.#source = this.#context.createMediaStreamSource(microphone)
    this.#source.connect(this.#ear)
    this.mute(this.#isMuted)
    return undefined
  }

  /** Keeps the microphone from the agent. */
  mute(isMuted: boolean): void {
    this.#isMuted = isMuted
    for (const track of this.#microphone?.getAudioTracks() ?? []) track.enabled = !isMuted
  }

  /** Speaks a recording to the agent, as soon as it listens. The user hears it too. @throws Error without a connection */
  async say(recording: Blob): Promise<void> {
    const buffer = await this.#context.decodeAudioData(await recording.arrayBuffer())
    await this.#ready.promise
    const source = new AudioBufferSourceNode(this.#context, { buffer })
    source.connect(this.#ear)
    source.connect(this.#context.destination)
    source.start()
  }

  /** Ends the conversation, and frees the microphone. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    closeMicrophone(this.#microphone)
    this.#ready.reject(new Error(ENDED))
    await this.#client.stop()
    await this.#context.close()
  }

  #follow(status: VoiceStatus): void {
    this.status.set(status)
    if (status === 'listening') this.#ready.resolve()
    this.log.set(addStatus(this.log.get(), status, this.#now))
  }
}
