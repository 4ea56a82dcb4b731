import { MICROPHONE, type MicrophoneFrame, PLAYER, type PlayerInput, type PlayerReport } from '../worklet/messages.ts'
import { WORKLET_SOURCE } from './worklet-source.ts'

/** Options of {@link openVoiceAudio}. */
export interface VoiceAudioOptions {
  readonly microphone: MediaTrackConstraints | MediaStream
  /** Address of the worklet. @default a `blob:` address of its code */
  readonly worklet: string | undefined
  readonly onFrame: (frame: MicrophoneFrame) => void
  readonly onReport: (report: PlayerReport) => void
  /** Whether the browser lets the page play and record: it may not before a click, and stop during a call. */
  readonly onRunning: (isRunning: boolean) => void
  /** Whether there is a microphone: it may be unplugged, and another one plugged in. */
  readonly onMicrophone: (isThere: boolean) => void
  /** The page's own stream has ended. */
  readonly onStreamEnd: () => void
}

/** Milliseconds after which a context that does not run counts as blocked. */
const START_TIME = 500

/** What the user does that lets a page play. */
const GESTURES = ['pointerdown', 'keydown', 'touchend'] as const

/** Opens microphone and loudspeaker. Call it in a click or a key press: browsers allow no sound before. */
export async function openVoiceAudio(options: VoiceAudioOptions): Promise<VoiceAudio> {
  const context = new AudioContext({ latencyHint: 'interactive' })
  let stream: MediaStream | undefined
  try {
    stream = await openBoth(context, options)
    return new VoiceAudio(context, stream, options)
  } catch (error) {
    if (stream !== undefined && stream !== options.microphone) stopTracks(stream)
    await context.close()
    throw error
  }
}

/** Microphone and loudspeaker of a page. */
export class VoiceAudio {
  readonly #context: AudioContext
  readonly #options: VoiceAudioOptions
  readonly #player: AudioWorkletNode
  readonly #microphone: AudioWorkletNode
  /** Removes the listeners. */
  readonly #closing = new AbortController()
  #stream: MediaStream
  #source: MediaStreamAudioSourceNode
  #isRunning = true
  #isThere = true
  #opening: Promise<void> | undefined

  constructor(context: AudioContext, stream: MediaStream, options: VoiceAudioOptions) {
    this.#context = context
    this.#stream = stream
    this.#options = options
    this.#player = new AudioWorkletNode(context, PLAYER, { numberOfInputs: 0 })
    this.#player.port.addEventListener('message', ({ data }: MessageEvent<PlayerReport>) => options.onReport(data))
    this.#player.port.start()
    this.#player.connect(context.destination)
    this.#microphone = new AudioWorkletNode(context, MICROPHONE, { numberOfOutputs: 0 })
    this.#microphone.port.addEventListener('message', ({ data }: MessageEvent<MicrophoneFrame>) =>
      options.onFrame(data),
    )
    this.#microphone.port.start()
    this.#source = this.#listenTo(stream)
    this.#follow()
  }

  /** Sends a message to the player. */
  play(message: PlayerInput): void {
    this.#player.port.postMessage(message, 'pcm' in message ? [message.pcm] : [])
  }

  /** Lets the browser play again, and looks for a microphone. In a click, browsers allow it. */
  async resume(): Promise<void> {
    await Promise.all([startContext(this.#context), this.#reopen()])
    this.#tellRunning()
  }

  /** Frees the microphone, and the loudspeaker. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#source.disconnect()
    this.#player.disconnect()
    if (this.#isOwn) stopTracks(this.#stream)
    if (this.#context.state !== 'closed') await this.#context.close()
  }

  /** Whether the microphone was opened here. */
  get #isOwn(): boolean {
    return !(this.#options.microphone instanceof MediaStream)
  }

  #listenTo(stream: MediaStream): MediaStreamAudioSourceNode {
    const source = this.#context.createMediaStreamSource(stream)
    source.connect(this.#microphone)
    const { signal } = this.#closing
    for (const track of stream.getAudioTracks()) {
      track.addEventListener('ended', () => this.#lose(stream), { once: true, signal })
    }
    return source
  }

  /** Follows the state of the context, the devices and the user's clicks. */
  #follow(): void {
    const { signal } = this.#closing
    this.#context.addEventListener('statechange', () => void this.#restart(), { signal })
    this.#tellRunning()
    const wake = (): void => {
      if (!this.#isRunning || !this.#isThere) void this.resume()
    }
    if ('document' in globalThis) {
      for (const gesture of GESTURES) document.addEventListener(gesture, wake, { signal })
      document.addEventListener('visibilitychange', wake, { signal })
    }
    if ('mediaDevices' in navigator) {
      navigator.mediaDevices.addEventListener('devicechange', () => void this.#reopen(), { signal })
    }
  }

  /** The browser has stopped the context, or has started it. */
  async #restart(): Promise<void> {
    if (this.#closing.signal.aborted || this.#context.state === 'closed') return
    if (this.#context.state !== 'running') await startContext(this.#context)
    this.#tellRunning()
  }

  #tellRunning(): void {
    const isRunning = this.#context.state === 'running'
    if (isRunning === this.#isRunning || this.#closing.signal.aborted) return
    this.#isRunning = isRunning
    this.#options.onRunning(isRunning)
  }

  /** A microphone has ended: it was unplugged, or the user took the permission back. */
  #lose(stream: MediaStream): void {
    if (stream !== this.#stream) return
    if (!this.#isOwn) {
      this.#options.onStreamEnd()
      return
    }
    this.#isThere = false
    void this.#replace()
  }

  /** Tells that the microphone is gone, unless there is another one. */
  async #replace(): Promise<void> {
    await this.#reopen()
    if (!this.#isThere && !this.#closing.signal.aborted) this.#options.onMicrophone(false)
  }

  /** Looks for a microphone in place of the one that is gone. */
  #reopen(): Promise<void> {
    if (this.#isThere || this.#closing.signal.aborted) return Promise.resolve()
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #open(): Promise<void> {
    let stream: MediaStream
    try {
      stream = await openAnyMicrophone(this.#options.microphone)
    } catch {
      return
    }
    if (this.#closing.signal.aborted) {
      stopTracks(stream)
      return
    }
    let source: MediaStreamAudioSourceNode
    try {
      source = this.#listenTo(stream)
    } catch {
      // A browser may not read a microphone at the rate of the context. Another one may come.
      stopTracks(stream)
      return
    }
    this.#source.disconnect()
    this.#source = source
    this.#stream = stream
    this.#isThere = true
    this.#options.onMicrophone(true)
  }
}

/** @throws Whatever failed first. The microphone is free then, also when the user allows it later. */
async function openBoth(context: AudioContext, options: VoiceAudioOptions): Promise<MediaStream> {
  const opening = openMicrophone(options.microphone)
  try {
    const [stream] = await Promise.all([opening, addWorklet(context, options.worklet)])
    await startContext(context)
    return stream
  } catch (error) {
    if (!(options.microphone instanceof MediaStream)) void opening.then(stopTracks, () => {})
    throw error
  }
}

/** Starts a context. Browsers leave the promise open until a click, so the wait has an end. */
async function startContext(context: AudioContext): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, START_TIME)
  await Promise.race([context.resume(), late]).catch(() => {})
  clearTimeout(timer)
}

function openMicrophone(microphone: MediaTrackConstraints | MediaStream): Promise<MediaStream> {
  if (microphone instanceof MediaStream) return Promise.resolve(microphone)
  // Browsers leave it out of pages without HTTPS.
  if (!('mediaDevices' in navigator)) {
    return Promise.reject(
      new Error('The browser gives no microphone to this page: serve it over HTTPS or on localhost'),
    )
  }
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...microphone }
  return navigator.mediaDevices.getUserMedia({ audio })
}

/** The chosen microphone, or another one when it is gone. */
async function openAnyMicrophone(microphone: MediaTrackConstraints | MediaStream): Promise<MediaStream> {
  try {
    return await openMicrophone(microphone)
  } catch (error) {
    if (microphone instanceof MediaStream || !('deviceId' in microphone)) throw error
    const { deviceId: _gone, ...others } = microphone
    return openMicrophone(others)
  }
}

async function addWorklet(context: AudioContext, address: string | undefined): Promise<void> {
  if (address !== undefined) {
    await context.audioWorklet.addModule(address)
    return
  }
  const blob = URL.createObjectURL(new Blob([WORKLET_SOURCE], { type: 'text/javascript' }))
  try {
    await context.audioWorklet.addModule(blob)
  } finally {
    URL.revokeObjectURL(blob)
  }
}

function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}
