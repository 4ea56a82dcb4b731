import type { PcmFormat } from '@svc-audio/core/streaming'
import type { Level } from './level.ts'
import type { PlayerInput, PlayerOutput } from './player-messages.ts'
// oxlint-disable-next-line import/default -- Vite makes the module: the worklet, built, and its address
import workletUrl from './player.worklet.ts?worker&url'

/** Events of playback. */
export interface PlaybackListener {
  /** The first sample plays. */
  readonly onStart: () => void
  readonly onLevel: (level: Level, playedSeconds: number) => void
  /** Everything was played. */
  readonly onEnd: (playedSeconds: number) => void
}

/** One context per sample rate. The browser resamples to the rate of the device. */
const contexts = new Map<number, Promise<AudioContext>>()

function contextFor(sampleRate: number): Promise<AudioContext> {
  const open = contexts.get(sampleRate) ?? openContext(sampleRate)
  contexts.set(sampleRate, open)
  // A failed start may work after the next click.
  open.catch(() => contexts.delete(sampleRate))
  return open
}

async function openContext(sampleRate: number): Promise<AudioContext> {
  const context = new AudioContext({ sampleRate, latencyHint: 'interactive' })
  await context.audioWorklet.addModule(workletUrl)
  return context
}

/** Plays PCM while it arrives. Start it in a click handler: browsers allow no sound before a click. */
export class Playback {
  readonly #context: AudioContext
  readonly #node: AudioWorkletNode

  private constructor(format: PcmFormat, context: AudioContext, listener: PlaybackListener) {
    this.#context = context
    this.#node = new AudioWorkletNode(context, 'player', {
      numberOfInputs: 0,
      outputChannelCount: [format.channels],
    })
    this.#node.port.addEventListener('message', ({ data }: MessageEvent<PlayerOutput>) => {
      if (data.type === 'start') listener.onStart()
      else if (data.type === 'level') listener.onLevel(data.level, data.playedFrames / format.sampleRate)
      else {
        this.stop()
        listener.onEnd(data.playedFrames / format.sampleRate)
      }
    })
    this.#node.port.start()
    this.#node.connect(context.destination)
  }

  /** Creates a player that is connected to the speakers. */
  static async begin(format: PcmFormat, listener: PlaybackListener): Promise<Playback> {
    const context = await contextFor(format.sampleRate)
    await context.resume()
    return new Playback(format, context, listener)
  }

  /** Adds samples from -1 to 1, one array per channel. The arrays are transferred and empty afterwards. */
  write(channels: readonly Float32Array<ArrayBuffer>[]): void {
    const transfer = channels.map((channel) => channel.buffer)
    this.#node.port.postMessage({ type: 'audio', channels } satisfies PlayerInput, transfer)
  }

  /** Marks the end of the audio. The queue plays to its end. */
  end(): void {
    this.#node.port.postMessage({ type: 'end' } satisfies PlayerInput, [])
  }

  /** Stops playback at once. No events follow. */
  stop(): void {
    this.#node.port.postMessage({ type: 'stop' } satisfies PlayerInput, [])
    this.#node.port.close()
    this.#node.disconnect()
    void this.#context.suspend()
  }
}
