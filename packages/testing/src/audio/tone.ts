import { PCM_FORMAT, wavFile } from './wav.ts'

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
