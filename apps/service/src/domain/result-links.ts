import { createHmac, timingSafeEqual } from 'node:crypto'

/** Path under which results are served. */
export const RESULTS_PATH = '/v1/audio/results'

/** Makes and checks the URLs of results: signed and expiring, so that a player needs no key. */
export interface ResultLinks {
  /** A URL for a result that works until it expires. */
  create(name: string): string
  /** Whether this signature is ours and has not expired. */
  verify(name: string, expires: string, signature: string): boolean
}

/** What {@link createResultLinks} needs. */
export interface ResultLinksOptions {
  readonly secret: string
  /** Address of the service as its callers reach it, without a slash at the end; asked anew for each link. */
  readonly publicUrl: () => string
  /** How long a link works, in seconds. @default 86400 */
  readonly lifetimeSeconds?: number
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** Links signed with HMAC-SHA-256 over name and expiry. */
export function createResultLinks(options: ResultLinksOptions): ResultLinks {
  const { secret, publicUrl, lifetimeSeconds = 86_400, now = Date.now } = options
  const sign = (name: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`${name}\n${expires}`).digest()
  return {
    create(name) {
      const expires = String(Math.floor(now() / 1000) + lifetimeSeconds)
      const signature = sign(name, expires).toString('base64url')
      return `${publicUrl()}${RESULTS_PATH}/${name}?expires=${expires}&signature=${signature}`
    },
    verify(name, expires, signature) {
      const given = Buffer.from(signature, 'base64url')
      const right = sign(name, expires)
      if (given.length !== right.length || !timingSafeEqual(given, right)) return false
      return Number(expires) * 1000 > now()
    },
  }
}
