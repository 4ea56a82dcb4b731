/** Audio that a page sent to its worklets, and the worklets' reports. */
export interface HeardAudio {
  /** Frames sent to the worklets. */
  readonly sentFrames: number
  /** Largest sample of those frames. */
  readonly sentPeak: number
  /** Played frames, as the worklet counts them. */
  readonly playedFrames: number
  /** Frames of silence because audio was late. */
  readonly starvedFrames: number
  /** Frames per second of the audio context. */
  readonly sampleRate: number
}

/** Expression for `page.evaluate()`: {@link HeardAudio} since the page was opened. */
export const HEARD = 'window.heardAudio'

/** A script for `addInitScript()`. It observes every worklet node of a page without changing it. */
export const AUDIO_TAP = `
window.heardAudio = { sentFrames: 0, sentPeak: 0, playedFrames: 0, starvedFrames: 0, sampleRate: 0 }
window.AudioWorkletNode = class extends AudioWorkletNode {
  constructor(context, ...rest) {
    super(context, ...rest)
    const heard = window.heardAudio
    const { port } = this
    const post = port.postMessage
    port.postMessage = (message, transfer) => {
      // The worklet of conversations has a number of channels here, and no samples.
      const { channels } = message
      for (const samples of Array.isArray(channels) ? channels.slice(0, 1) : []) {
        heard.sentFrames += samples.length
        for (const sample of samples) heard.sentPeak = Math.max(heard.sentPeak, Math.abs(sample))
      }
      post.call(port, message, transfer)
    }
    port.addEventListener('message', ({ data }) => {
      heard.sampleRate = context.sampleRate
      heard.playedFrames = Math.max(heard.playedFrames, data.played ?? 0)
      heard.starvedFrames = Math.max(heard.starvedFrames, data.starved ?? 0)
    })
  }
}
`
