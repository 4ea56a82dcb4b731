import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { wallClockNow } from './clock.ts'

/** Path under which results are served. */
export const RESULTS_PATH = '/v1/audio/results'

/** Name of the secret that signs links to results. */
export const LINK_SECRET = 'result-links'

/** Creates and checks the URLs of results. They are signed and expire, and a player needs no key. */
export interface ResultLinks {
  /** Creates a URL for a result. */
  create(name: string): string
  /** Whether the signature is valid and has not expired. */
  verify(name: string, expires: string, signature: string): boolean
}

/** Options of {@link createResultLinks}. */
export interface ResultLinksOptions {
  /** The secret that signs, then former ones that still verify. Called for each link. */
  readonly secrets: () => readonly string[]
  /** Public address of the service, without a slash at the end. Called for each link. */
  readonly publicUrl: () => string
  /** Lifetime of a link, in seconds. @default 86400 */
  readonly lifetimeSeconds?: number
  /** Returns milliseconds since 1970. @default the time of the service */
  readonly now?: () => number
}

/** Creates links that are signed with HMAC-SHA-256 over name and expiry. */
export function createResultLinks(options: ResultLinksOptions): ResultLinks {
  const { secrets, publicUrl, lifetimeSeconds = 86_400, now = wallClockNow } = options
  const keys = new Map<string, KeyObject>()
  const keyOf = (secret: string): KeyObject => {
    const known = keys.get(secret)
    if (known !== undefined) return known
    const made = createSecretKey(secret, 'utf8')
    keys.set(secret, made)
    return made
  }
  const sign = (secret: string, name: string, expires: string): string =>
    createHmac('sha256', keyOf(secret)).update(`${name}\n${expires}`).digest('base64url')
  return {
    create(name) {
      const expires = String(Math.floor(now() / 1000) + lifetimeSeconds)
      const [current = ''] = secrets()
      const signature = sign(current, name, expires)
      return `${publicUrl()}${RESULTS_PATH}/${name}?expires=${expires}&signature=${signature}`
    },
    verify(name, expires, signature) {
      const given = Buffer.from(signature)
      const isRight = secrets().some((secret) => {
        const right = Buffer.from(sign(secret, name, expires))
        return given.length === right.length && timingSafeEqual(given, right)
      })
      return isRight && Number(expires) * 1000 > now()
    },
  }
}
