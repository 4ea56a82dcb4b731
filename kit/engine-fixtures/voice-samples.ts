import { encodeWav } from '@svc-audio/core/audio'
import type { SpeechEngine, VoiceManner } from '@svc-audio/engine-ports'

/** Enough text to measure a voice. */
export const PASSAGE: string =
  'The north wind and the sun were arguing about which of them was the stronger, when a traveller came along, wrapped ' +
  'in a warm cloak. They agreed that the one who first made him take it off would be considered the stronger.'

/** Another text, so a voice is not measured on the words of its sample. */
export const OTHER_PASSAGE: string =
  'Please call Stella. Ask her to bring these things with her from the store: six spoons of fresh snow peas, five ' +
  'thick slabs of blue cheese, and maybe a snack for her brother Bob.'

/** Voice and manner of speech. */
export interface Speaking {
  readonly voiceId: string
  readonly manner?: VoiceManner
  readonly speed?: number
}

/** PCM of a text. */
export async function speechOf(engine: SpeechEngine, text: string, speaking: Speaking): Promise<Buffer> {
  const { chunks } = await engine.synthesize({ text, ...speaking })
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

/** Bytes in chunks of a size. */
export async function* chunksOf(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** A buzz: pulses of a pitch with the given number of overtones, in this many bursts a second; 0 is continuous. */
export function buzz(pitchHz: number, seconds: number, burstsPerSecond = 0): Buffer {
  const pcm = Buffer.alloc(Math.round(seconds * 16_000) * 2)
  for (let index = 0; index < pcm.length / 2; index += 1) {
    let sample = 0
    for (let overtone = 1; overtone <= 12 && overtone * pitchHz < 4000; overtone += 1) {
      sample += Math.sin((2 * Math.PI * overtone * pitchHz * index) / 16_000) / overtone
    }
    const burst = 0.5 - 0.5 * Math.cos((2 * Math.PI * burstsPerSecond * index) / 16_000)
    pcm.writeInt16LE(Math.round(8000 * sample * (burstsPerSecond === 0 ? 1 : burst)), 2 * index)
  }
  return pcm
}

/** Noise, identical in every run. */
export function noise(seconds: number): Buffer {
  const pcm = Buffer.alloc(Math.round(seconds * 16_000) * 2)
  let state = 1
  for (let index = 0; index < pcm.length / 2; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    pcm.writeInt16LE(((state >>> 16) % 8001) - 4000, 2 * index)
  }
  return pcm
}

/** A WAV of PCM at 16 kHz, mono. */
export function wavOf(pcm: Uint8Array): Blob {
  return new Blob([encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [pcm])], { type: 'audio/wav' })
}
