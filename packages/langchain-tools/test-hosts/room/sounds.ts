import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioClient, PcmFormat } from '@svc-audio/core'
import { encodeWav, pcmSeconds } from '@svc-audio/core/audio'
import { INSTRUMENTS, playTune } from './melodies.ts'
import { sox } from './sox.ts'

/** Format of the room's microphone. */
export const FORMAT: PcmFormat = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** Makes the sounds of a room: people with the service's own voices, and what sox can synthesize. */
export class RoomSounds {
  readonly #client: AudioClient
  readonly #folder: string
  #files = 0

  /** @param folder Where recordings are stored on their way through sox. */
  constructor(client: AudioClient, folder: string) {
    this.#client = client
    this.#folder = folder
  }

  /** Somebody says something. */
  async speech(text: string, voice_id: string): Promise<Uint8Array> {
    return sox([await this.#record(text, voice_id)], ['gain', '-n', '-6'])
  }

  /** Somebody says something over an answer, of which a little comes back from the loudspeaker. */
  async talkOver(text: string, voice_id: string, answer: { text: string; voice_id: string }): Promise<Uint8Array> {
    const [said, echo, seconds] = await Promise.all([
      this.#record(text, voice_id),
      this.#record(answer.text, answer.voice_id),
      this.secondsOf(text, voice_id),
    ])
    // About as much echo as a browser's cancellation misses. The answer pauses soon, and its echo with it.
    return sox(['-m', said, '-v', '0.02', echo], ['trim', '0', String(seconds), 'gain', '-n', '-6'])
  }

  /** Two bursts of filtered noise. */
  async cough(): Promise<Uint8Array> {
    const burst = (seconds: number, level: number): Promise<Uint8Array> =>
      synthesize(
        [String(seconds), 'pinknoise'],
        [
          'fade',
          'q',
          '0.004',
          String(seconds),
          String(seconds * 0.75),
          'bandpass',
          '900',
          '900',
          'gain',
          '-n',
          `${level}`,
        ],
      )
    return Buffer.concat([await burst(0.22, -4), new Uint8Array(3840), await burst(0.3, -7)])
  }

  /** An organ: a chord each second. */
  async music(seconds: number): Promise<Uint8Array> {
    const chords = [
      ['C4', 'E4', 'G4'],
      ['F4', 'A4', 'C5'],
      ['G4', 'B4', 'D5'],
    ] as const
    const played = await Promise.all(
      chords.map((notes) =>
        synthesize(
          ['1', ...notes.flatMap((note) => ['sine', note])],
          ['remix', '-', 'fade', 'q', '0.03', '1', '0.05', 'gain', '-n', '-8'],
        ),
      ),
    )
    return Buffer.concat(
      Array.from({ length: Math.ceil(seconds) }, (_, index) => played[index % played.length] ?? new Uint8Array()),
    )
  }

  /** A melody of an instrument, a hum or a whistle. @param name An instrument of the tested half. */
  async melody(name: string): Promise<Uint8Array> {
    const instrument = INSTRUMENTS.tested[name]
    if (instrument === undefined) throw new Error(`There is no instrument ${name}`)
    return playTune(instrument, { notes: [0, 0, 7, 7, 9, 9, 7, 5, 5, 4, 4, 2, 2, 0], beat: 0.3 })
  }

  /** How long a voice takes for a text. */
  async secondsOf(text: string, voice_id: string): Promise<number> {
    const { format, pieces } = await this.#speak(text, voice_id)
    return pcmSeconds(format, Buffer.concat(pieces).byteLength)
  }

  async #speak(text: string, voice_id: string): Promise<{ readonly format: PcmFormat; readonly pieces: Uint8Array[] }> {
    const stream = await this.#client.speech.stream({ model: 'svc-tts-1.5-flash', input: text, voice_id })
    const pieces: Uint8Array[] = []
    for await (const piece of stream) pieces.push(piece)
    return { format: stream.format, pieces }
  }

  /** @returns Path of the recording. */
  async #record(text: string, voice_id: string): Promise<string> {
    const { format, pieces } = await this.#speak(text, voice_id)
    const path = join(this.#folder, `speech-${(this.#files += 1)}.wav`)
    await writeFile(path, encodeWav(format, pieces))
    return path
  }
}

function synthesize(synth: readonly string[], effects: readonly string[]): Promise<Uint8Array> {
  return sox(['-n'], ['synth', ...synth, ...effects])
}
