import { checkPublicUrl } from '@svc-audio/core/adapter'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { RunScope } from '../run/run-context.ts'

/** An address in a text, up to a space or a mark that no address needs. */
const ADDRESS = /https:\/\/[^\s<>"'`]+/gi

/** Marks of the sentence or the bracket around an address. */
const MARKS_BEHIND = /[.,;:!?)\]}*_]+$/

/**
 * Checks a URL that a model gave: public, https, and allowed by the options of the application.
 * @returns Its normal form, which is what was checked.
 * @throws SpeechToolError `invalid_url`, `private_url` or `url_not_allowed`
 */
export async function checkAllowedUrl(text: string, scope: RunScope): Promise<string> {
  const { allowUrls, urlHosts, urlPolicy } = scope.options
  if (!allowUrls) throw new SpeechToolError('invalid_url', 'URLs are not accepted here. Give a reference.')
  const href = checkSourceUrl(text)
  const url = new URL(href)
  if (urlHosts.length > 0 && !urlHosts.some((host) => isOfHost(url.hostname, host)))
    throw notAllowed(`Only URLs of ${urlHosts.join(', ')} are accepted here.`)
  if (urlPolicy === 'from-user' && !addressesIn(scope.userTexts()).has(href))
    throw notAllowed('Only URLs that the user wrote are accepted here. Ask the user for the address.')
  if (
    typeof urlPolicy === 'function' &&
    !(await urlPolicy(url, { context: scope.access.context, user: scope.access.user }))
  )
    throw notAllowed('This URL is not accepted here. Give a reference or another URL.')
  return href
}

/** Whether a name is a host, or below `*.` and a host. */
function isOfHost(name: string, host: string): boolean {
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host
}

/** The addresses that texts name, in their normal form. */
function addressesIn(texts: readonly string[]): ReadonlySet<string> {
  const found = texts
    .flatMap((text) => text.match(ADDRESS) ?? [])
    .flatMap((address) => [address, address.replace(MARKS_BEHIND, '')])
  return new Set(found.flatMap((address) => (URL.canParse(address) ? [new URL(address).href] : [])))
}

function notAllowed(message: string): SpeechToolError {
  return new SpeechToolError('url_not_allowed', message)
}

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
