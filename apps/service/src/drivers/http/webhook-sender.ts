import { request as httpRequest } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { unlessAborted } from '@svc-audio/core/adapter'
import type { ResolvedAddress } from '../../domain/addresses.ts'
import type { WebhookPolicy } from '../../domain/url-policies.ts'
import { ForbiddenAddressError, NoResponseError, type WebhookSender } from '../../ports/webhook-outbox.ts'
import { addressesOf, createResolver, pinnedLookup, type Resolve } from './resolver.ts'

/** Options of {@link createWebhookSender}. */
export interface WebhookSenderOptions {
  readonly policy: WebhookPolicy
  /** Resolves a host name to all its addresses. @default the hosts file and the system's name servers */
  readonly resolve?: Resolve
  /** Longest wait for a response, in milliseconds, resolution and connection included. @default 15000 */
  readonly timeout?: number
  /** Trusted certificates, as PEM, instead of the system's authorities. @default the system's */
  readonly ca?: readonly string[] | undefined
}

/** The addresses and the deadline of a call are fixed before its first byte. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { policy, resolve = createResolver(), timeout = 15_000, ca } = options
  return {
    async post(message, signal) {
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), timeout)
      const either = AbortSignal.any([signal, late.signal])
      try {
        const url = new URL(message.url)
        const addresses = await unlessAborted(pin(url, policy, resolve), either)
        return await send(url, message, { addresses, signal: either, ca })
      } catch (error) {
        signal.throwIfAborted()
        if (late.signal.aborted) throw new NoResponseError(timeout)
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Resolves a host once. Refuses it when one of its addresses is forbidden: such a name is not to be trusted. */
async function pin(url: URL, policy: WebhookPolicy, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  const addresses = await addressesOf(url, resolve)
  if (!addresses.every((address) => policy.permits(url, address))) {
    throw new ForbiddenAddressError(`The address of ${url.hostname} is not allowed`)
  }
  return addresses
}

/** One call of a webhook. */
interface Connection extends Pick<WebhookSenderOptions, 'ca'> {
  readonly addresses: readonly ResolvedAddress[]
  readonly signal: AbortSignal
}

function send(
  url: URL,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  { addresses, signal, ca }: Connection,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const settings: RequestOptions = {
    signal,
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    // A separate connection, to a checked address.
    agent: false,
    lookup: pinnedLookup(addresses),
    ...(ca === undefined ? {} : { ca: [...ca] }),
  }
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, settings)
  request.on('error', reject)
  request.on('response', (response) => {
    resolve(response.statusCode ?? 0)
    // Discards the body of the response, however long it is.
    response.on('error', () => undefined)
    request.destroy()
  })
  request.end(body)
  return promise
}
