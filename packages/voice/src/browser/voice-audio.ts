import { MICROPHONE, type MicrophoneFrame, PLAYER, type PlayerInput, type PlayerReport } from '../worklet/messages.ts'
import { WORKLET_SOURCE } from './worklet-source.ts'

/** Options of {@link openVoiceAudio}. */
export interface VoiceAudioOptions {
  readonly microphone: MediaTrackConstraints | MediaStream
  /** Address of the worklet. @default a `blob:` address of its code */
  readonly worklet: string | undefined
  readonly onFrame: (frame: MicrophoneFrame) => void
  readonly onReport: (report: PlayerReport) => void
  /** The microphone ended: it was unplugged, or the user took the permission back. */
  readonly onMicrophoneEnd: () => void
}

/** Microphone and loudspeaker of a page. */
export interface VoiceAudio {
  readonly context: AudioContext
  /** Sends a message to the player. */
  play(message: PlayerInput): void
  /** Frees the microphone, and the loudspeaker. */
  close(): Promise<void>
}

/** Opens microphone and loudspeaker. Call it in a click or a key press: browsers allow no sound before. */
export async function openVoiceAudio(options: VoiceAudioOptions): Promise<VoiceAudio> {
  const context = new AudioContext({ latencyHint: 'interactive' })
  const isOwn = !(options.microphone instanceof MediaStream)
  let stream: MediaStream
  try {
    stream = await openBoth(context, options)
  } catch (error) {
    await context.close()
    throw error
  }
  const player = new AudioWorkletNode(context, PLAYER, { numberOfInputs: 0 })
  player.port.addEventListener('message', ({ data }: MessageEvent<PlayerReport>) => options.onReport(data))
  player.port.start()
  player.connect(context.destination)
  const microphone = new AudioWorkletNode(context, MICROPHONE, { numberOfOutputs: 0 })
  microphone.port.addEventListener('message', ({ data }: MessageEvent<MicrophoneFrame>) => options.onFrame(data))
  microphone.port.start()
  const source = context.createMediaStreamSource(stream)
  source.connect(microphone)
  for (const track of stream.getAudioTracks()) {
    track.addEventListener('ended', () => options.onMicrophoneEnd(), { once: true })
  }
  return {
    context,
    play: (message) => player.port.postMessage(message, 'pcm' in message ? [message.pcm] : []),
    async close() {
      source.disconnect()
      player.disconnect()
      if (isOwn) stopTracks(stream)
      if (context.state !== 'closed') await context.close()
    },
  }
}

/** @throws Whatever failed first. The microphone is free then, also when the user allows it later. */
async function openBoth(context: AudioContext, options: VoiceAudioOptions): Promise<MediaStream> {
  const opening = openMicrophone(options.microphone)
  try {
    const [stream] = await Promise.all([opening, addWorklet(context, options.worklet)])
    await context.resume()
    return stream
  } catch (error) {
    if (!(options.microphone instanceof MediaStream)) void opening.then(stopTracks, () => {})
    throw error
  }
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
