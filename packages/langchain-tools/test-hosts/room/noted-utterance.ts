import type { DetectedUtterance } from '@svc-audio/voice'

/** The same utterance, which calls a function at its end. */
export function noting(utterance: DetectedUtterance, onEnd: () => void): DetectedUtterance {
  const next = utterance.next.bind(utterance)
  utterance.next = async () => {
    const result = await next()
    if (result.done === true) onEnd()
    return result
  }
  return utterance
}
