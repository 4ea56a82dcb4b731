import { setTimeout } from 'node:timers/promises'
import { FORMAT } from './sounds.ts'

/** Samples of a piece: 20 ms, as a browser sends them. */
const FRAME = FORMAT.sampleRate / 50
/** Loudness of the room, in samples: 55 dB below full scale. */
const ROOM = 100

/** A sound on its way into the microphone. */
interface Playing {
  readonly samples: Int16Array
  at: number
  readonly done: () => void
}

/** A microphone in a room, in real time: the noise of the room, and the sounds that are played in it. */
export class RoomMicrophone implements AsyncIterable<Uint8Array> {
  #playing: Playing[] = []
  #isClosed = false
  #seed = 1

  /** Plays a sound. Resolves when its last sample has been recorded. */
  async play(pcm: Uint8Array): Promise<void> {
    // A copy: the bytes of a program's output are not aligned.
    const samples = new Int16Array(Uint8Array.from(pcm.subarray(0, pcm.byteLength & ~1)).buffer)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#playing.push({ samples, at: 0, done: resolve })
    await promise
  }

  /** Ends the recording. */
  close(): void {
    this.#isClosed = true
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const start = performance.now()
    for (let frame = 1; !this.#isClosed; frame += 1) {
      const { piece, ended } = this.#record()
      yield piece
      for (const { done } of ended) done()
      await setTimeout(Math.max(0, start + frame * 20 - performance.now()))
    }
  }

  #record(): { readonly piece: Uint8Array; readonly ended: readonly Playing[] } {
    const piece = new Int16Array(FRAME)
    for (let index = 0; index < FRAME; index += 1) {
      let sample = this.#noise()
      for (const { samples, at } of this.#playing) sample += samples[at + index] ?? 0
      piece[index] = Math.max(-0x80_00, Math.min(0x7f_ff, sample))
    }
    for (const sound of this.#playing) sound.at += FRAME
    const ended = this.#playing.filter(({ at, samples }) => at >= samples.length)
    this.#playing = this.#playing.filter((sound) => !ended.includes(sound))
    return { piece: new Uint8Array(piece.buffer), ended }
  }

  #noise(): number {
    this.#seed = (this.#seed * 16_807) % 2_147_483_647
    return (this.#seed / 1_073_741_823 - 1) * ROOM
  }
}
