import { vi } from 'vitest'
import type { PlayerOutput } from '../audio/player.worklet.ts'

/** Stands in for an `AudioContext` of the microphone or of a stream. */
export class FakeAudioContext extends EventTarget {
  /** All that were made, newest last. */
  static readonly made: FakeAudioContext[] = []
  /** Sample rate of the next ones without one of their own: that of the microphone. */
  static rate: number = 48_000
  /** Why the next ones cannot load their worklet. */
  static fault: Error | undefined

  readonly sampleRate: number
  readonly currentTime: number = 0
  readonly destination: object = {}
  readonly audioWorklet: { addModule: () => Promise<void> } = {
    addModule: async () => {
      if (FakeAudioContext.fault !== undefined) throw FakeAudioContext.fault
    },
  }
  closed: boolean = false
  get state(): AudioContextState {
    return this.closed ? 'closed' : 'running'
  }

  constructor({ sampleRate = FakeAudioContext.rate }: { readonly sampleRate?: number } = {}) {
    super()
    this.sampleRate = sampleRate
    FakeAudioContext.made.push(this)
  }
  async resume(): Promise<void> {}
  async suspend(): Promise<void> {}
  async close(): Promise<void> {
    this.closed = true
  }
  createMediaStreamSource(): { connect: () => void; disconnect: () => void } {
    return { connect: () => {}, disconnect: () => {} }
  }
  createMediaStreamDestination(): { stream: FakeMediaStream } {
    return { stream: new FakeMediaStream() }
  }
  async decodeAudioData(): Promise<object> {
    return {}
  }
}

/** Stands in for a stream of audio inside of the page. */
export class FakeMediaStream {
  getTracks(): [] {
    return []
  }
  getAudioTracks(): [] {
    return []
  }
}

/** Stands in for a recording that plays. */
export class FakeSource {
  /** Number of those that were started. */
  static started: number = 0
  connect(): void {}
  start(): void {
    FakeSource.started += 1
  }
}

/** Stands in for the node of a worklet. The test sends what the worklet would. */
export class FakeWorkletNode {
  /** All that were made, newest last. */
  static readonly made: FakeWorkletNode[] = []

  readonly sent: { readonly type: string; readonly generation?: number }[] = []
  readonly #port = new EventTarget()
  readonly port = {
    addEventListener: (name: string, listener: EventListener): void => this.#port.addEventListener(name, listener),
    start: (): void => {},
    close: (): void => {},
    postMessage: (message: { readonly type: string }): void => void this.sent.push(message),
  }

  constructor() {
    FakeWorkletNode.made.push(this)
  }

  /** The newest one. @throws Error if there is none */
  static latest(): FakeWorkletNode {
    const last = FakeWorkletNode.made.at(-1)
    if (last === undefined) throw new Error('No worklet was made')
    return last
  }

  connect(target: unknown): unknown {
    return target
  }
  disconnect(): void {}

  /** Sends a message of the worklet. */
  emit(data: object): void {
    this.#port.dispatchEvent(new MessageEvent('message', { data }))
  }

  /** Reports a position of the player. */
  report(output: Partial<PlayerOutput>): void {
    const flush = this.sent.findLast(({ type }) => type === 'flush')
    this.emit({
      type: 'position',
      generation: flush?.generation ?? 0,
      played: 0,
      queued: 1,
      starved: 0,
      at: Date.now(),
      ...output,
    })
  }
}

class FakeGain {
  readonly gain = { setTargetAtTime: (): void => {} }
  connect(): void {}
}

/** Gives the page an audio device. */
export function installWebAudio(): void {
  FakeAudioContext.made.length = 0
  FakeAudioContext.fault = undefined
  FakeAudioContext.rate = 48_000
  FakeWorkletNode.made.length = 0
  FakeSource.started = 0
  vi.stubGlobal('MediaStream', FakeMediaStream)
  vi.stubGlobal('AudioBufferSourceNode', FakeSource)
  vi.stubGlobal('AudioContext', FakeAudioContext)
  vi.stubGlobal('AudioWorkletNode', FakeWorkletNode)
  vi.stubGlobal('GainNode', FakeGain)
}
