import { wavHeader } from '@svc-audio/core/adapter'
import { SILENCE } from './silence.ts'

/** Layout of the upstream's PCM: signed 16-bit little-endian, one channel. */
export const PCM_FORMAT = {
  /** Samples per second. */
  sampleRate: 24_000,
  /** Samples of the same moment. */
  channels: 1,
  /** Bits of a sample. */
  bitDepth: 16,
} as const

/** Speech of the upstream. */
export interface SpeechAudio {
  /** The whole file. */
  readonly bytes: Buffer
  /** MIME type of the file. */
  readonly contentType: string
}

/**
 * A tone as `wav` or `pcm`; silence as `mp3`, `aac`, `flac` or `opus`.
 * @returns `undefined` for any other format.
 */
export function speechAudio(format: string, durationSeconds: number): SpeechAudio | undefined {
  if (format === 'wav') return { bytes: toneWav(durationSeconds), contentType: 'audio/wav' }
  if (format === 'pcm') return { bytes: tone(durationSeconds), contentType: 'audio/pcm' }
  const silence = Object.hasOwn(SILENCE, format) ? SILENCE[format] : undefined
  return silence && { bytes: silence.make(durationSeconds), contentType: silence.contentType }
}

/**
 * A tone as raw PCM in {@link PCM_FORMAT}, identical in every run.
 * @param durationSeconds Length.
 * @param hertz Pitch. @default 440
 */
export function tone(durationSeconds: number, hertz = 440): Buffer {
  const frames = Math.round(durationSeconds * PCM_FORMAT.sampleRate)
  const pcm = Buffer.alloc(frames * 2)
  for (let frame = 0; frame < frames; frame += 1) {
    const phase = (2 * Math.PI * hertz * frame) / PCM_FORMAT.sampleRate
    pcm.writeInt16LE(Math.round(8000 * Math.sin(phase)), frame * 2)
  }
  return pcm
}

/** A WAV file of a {@link tone}. */
export function toneWav(durationSeconds: number, hertz = 440): Buffer {
  return wavFile(tone(durationSeconds, hertz))
}

/**
 * A WAV file with true sizes: a header of 44 bytes, then the samples.
 * @param pcm Samples in {@link PCM_FORMAT}, or a number of silent bytes.
 */
export function wavFile(pcm: Uint8Array | number): Buffer {
  const samples = typeof pcm === 'number' ? Buffer.alloc(pcm) : pcm
  return Buffer.concat([wavHeader(PCM_FORMAT, samples.byteLength), samples])
}
