import { flacSilence } from './flac-silence.ts'
import { opusSilence } from './opus-silence.ts'

/** MPEG 1 layer III, 128 kbit/s, 44.1 kHz, mono. Zeros after this header make a frame of silence. */
const MP3_HEADER = Buffer.from([0xff, 0xfb, 0x90, 0xc4])
const MP3_FRAME_BYTES = 417
const MP3_FRAME_SECONDS = 1152 / 44_100

/** MP3 frames of silence, at least of the given length. */
export function mp3Silence(durationSeconds: number): Buffer {
  const frame = Buffer.alloc(MP3_FRAME_BYTES)
  MP3_HEADER.copy(frame)
  return repeat(frame, durationSeconds / MP3_FRAME_SECONDS)
}

/** ADTS, AAC-LC, 24 kHz, mono, 11 bytes a frame: the header, one channel without a spectrum, the end. */
const AAC_FRAME = Buffer.from([0xff, 0xf1, 0x58, 0x40, 0x01, 0x7f, 0xfc, 0x00, 0x00, 0x00, 0x07])
const AAC_FRAME_SECONDS = 1024 / 24_000

/** ADTS frames of silence, at least of the given length. */
export function aacSilence(durationSeconds: number): Buffer {
  return repeat(AAC_FRAME, durationSeconds / AAC_FRAME_SECONDS)
}

/** Makers of silent files in the compressed formats, by `response_format`, each with its media type. */
export const SILENCE: Readonly<Record<string, { contentType: string; make: (durationSeconds: number) => Buffer }>> = {
  mp3: { contentType: 'audio/mpeg', make: mp3Silence },
  aac: { contentType: 'audio/aac', make: aacSilence },
  flac: { contentType: 'audio/flac', make: flacSilence },
  opus: { contentType: 'audio/ogg', make: opusSilence },
}

function repeat(frame: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: Math.max(1, Math.ceil(times)) }, () => frame))
}
