/** What a page gave to its audio worklets and what those said. */
export interface HeardAudio {
  /** Frames that were sent to be played. */
  readonly sentFrames: number
  /** Largest sample of them. */
  readonly sentPeak: number
  /** Frames that were played, as the worklet counted them. */
  readonly playedFrames: number
  /** Largest sample that left the worklet. */
  readonly playedPeak: number
  /** Frames per second of the audio context. */
  readonly sampleRate: number
}

/** Expression for `page.evaluate()`: {@link HeardAudio} since the page was opened. */
export const HEARD = 'window.heardAudio'

/** A script for `addInitScript()`: listens in on every worklet node that a page makes. It changes nothing of it. */
export const AUDIO_TAP = `
window.heardAudio = { sentFrames: 0, sentPeak: 0, playedFrames: 0, playedPeak: 0, sampleRate: 0 }
window.AudioWorkletNode = class extends AudioWorkletNode {
  constructor(context, ...rest) {
    super(context, ...rest)
    const heard = window.heardAudio
    const { port } = this
    const post = port.postMessage
    port.postMessage = (message, transfer) => {
      for (const samples of message.channels?.slice(0, 1) ?? []) {
        heard.sentFrames += samples.length
        for (const sample of samples) heard.sentPeak = Math.max(heard.sentPeak, Math.abs(sample))
      }
      post.call(port, message, transfer)
    }
    port.addEventListener('message', ({ data }) => {
      heard.sampleRate = context.sampleRate
      heard.playedFrames = Math.max(heard.playedFrames, data.playedFrames ?? 0)
      heard.playedPeak = Math.max(heard.playedPeak, data.level?.peak ?? 0)
    })
  }
}
`
