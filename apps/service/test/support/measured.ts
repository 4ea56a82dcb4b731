import { chunksOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import type { SampleTraits } from '@svc-audio/engine-ports'
import { analyseSample } from '@svc-audio/engines'

/** Measures of PCM at 16 kHz, at most five minutes. */
export function measured(pcm: Uint8Array): Promise<SampleTraits> {
  return analyseSample(chunksOf(pcm), { minSeconds: 1, maxSeconds: 300 })
}
