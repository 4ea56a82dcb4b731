import type { SampleTraits } from '@svc-audio/engine-ports'
import { chunksOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { analyseSample } from '../src/voice-design/analyse-sample.ts'

/** Measures of PCM at 16 kHz, at most five minutes. */
export function measured(pcm: Uint8Array): Promise<SampleTraits> {
  return analyseSample(chunksOf(pcm), { minSeconds: 1, maxSeconds: 300 })
}
