import { SvcAudioError } from '@svc-audio/core'
import type { SpeechServerFailure } from './server-context.ts'

/** A failed call as one line for the operator: tool, code, cause and request id. */
export function failureLine({ tool, error }: SpeechServerFailure): string {
  const { code, requestId, cause, message } = error
  const reason = cause === undefined ? message : chain(cause)
  const id = requestId === undefined ? '' : ` (request ${requestId})`
  return `${tool} failed: ${code}: ${reason.replaceAll(/\s+/g, ' ').slice(0, 500)}${id}`
}

/** Messages of an error and of its causes, e.g. `fetch failed: connect ECONNREFUSED`. */
function chain(error: unknown): string {
  const messages: string[] = []
  let current = error
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    if (!messages.some((one) => one.includes(messageOf(current)))) messages.push(messageOf(current))
    current = current.cause
  }
  return messages.join(': ')
}

function messageOf(error: unknown): string {
  return SvcAudioError.isInstance(error) || error instanceof Error ? error.message : ''
}
