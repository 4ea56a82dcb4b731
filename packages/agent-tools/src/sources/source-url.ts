import { checkPublicUrl } from '@svc-audio/core/adapter'
import { SpeechToolError } from '../errors/speech-tool-error.ts'

/**
 * A URL that a model gave, as it may be sent: public by core's rule, and https.
 * @returns Its normal form, which is what was checked.
 * @throws SpeechToolError `invalid_url` or `private_url`
 */
export function checkSourceUrl(text: string): string {
  const { href, protocol } = publicUrl(text)
  if (protocol !== 'https:') throw notAccepted()
  return href
}

function publicUrl(text: string): URL {
  try {
    return checkPublicUrl(text, 'audio')
  } catch (error) {
    const isPrivate = error instanceof Error && 'code' in error && error.code === 'private_url'
    if (!isPrivate) throw notAccepted(error)
    const message = 'This URL leads to a private or local address, which is refused. Use a public https URL.'
    throw new SpeechToolError('private_url', message, { cause: error })
  }
}

function notAccepted(cause?: unknown): SpeechToolError {
  const message = 'Only a public https URL without user name and password is accepted.'
  return new SpeechToolError('invalid_url', message, { cause })
}
