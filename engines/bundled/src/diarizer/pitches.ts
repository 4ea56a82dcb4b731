import { DIARIZATION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import type { SpeechPiece } from '@svc-audio/engine-ports/listening'
import { logPitchOf } from './voice-print.ts'

/** Length of a part whose pitch is measured: 1.6 s. The melody of a sentence moves the pitch of shorter ones more. */
const PART_SAMPLES = 1.6 * DIARIZATION_SAMPLE_RATE

/** Samples from one part to the next, at most: half a part, so that a turn of two seconds has two. */
const STEP_SAMPLES = PART_SAMPLES / 2

/** A shorter part says too little. */
const LEAST_SAMPLES = DIARIZATION_SAMPLE_RATE

/** A part of speech with a known pitch. */
export interface PitchedPart extends SpeechPiece {
  /** Logarithm of the median pitch. */
  readonly logPitch: number
}

/**
 * Measures the pitch of speech in overlapping parts, from its first sample to its last. Whispers and short calls have none.
 * @param speech The place of the speech in the samples
 */
export function pitchesOf(samples: Int16Array, speech: SpeechPiece): PitchedPart[] {
  const length = Math.min(speech.endSample - speech.startSample, PART_SAMPLES)
  if (length < LEAST_SAMPLES) return []
  const rest = speech.endSample - speech.startSample - length
  const steps = Math.ceil(rest / STEP_SAMPLES)
  return Array.from({ length: steps + 1 }, (_, index) => {
    const startSample = speech.startSample + Math.round((rest * index) / Math.max(steps, 1))
    const endSample = startSample + length
    return { startSample, endSample, logPitch: logPitchOf(samples.subarray(startSample, endSample)) }
  }).filter((part): part is PitchedPart => part.logPitch !== undefined)
}
