import type { SynthesisRequest } from '@svc-audio/engine-ports'
import type { SpeechLength } from './render-speech.ts'

/** Returns the length that a request asks for. @throws RangeError naming the value that is out of range */
export function speechLength({ speed = 1, expectedDurationSeconds }: SynthesisRequest): SpeechLength {
  if (expectedDurationSeconds === undefined) {
    if (!(speed >= 0.25 && speed <= 4)) throw new RangeError(`speed must be from 0.25 to 4, not ${speed}`)
    return { speed }
  }
  if (!(expectedDurationSeconds > 0 && Number.isFinite(expectedDurationSeconds)))
    throw new RangeError(`expectedDurationSeconds must be greater than 0, not ${expectedDurationSeconds}`)
  return { expectedSeconds: expectedDurationSeconds }
}
