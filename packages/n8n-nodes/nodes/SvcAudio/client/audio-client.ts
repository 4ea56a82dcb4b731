import { checkRequest, nameUpload } from '@svc-audio/core/adapter'
import { type Clock, PureAudioClient, type Transport } from '@svc-audio/core/pure'
import { sleep } from 'n8n-workflow'
import { CREDENTIAL, type N8nContext, n8nTransport, type N8nTransport } from './n8n-transport.ts'

/** Deadline for a whole call, in milliseconds, unless the node's options set another one. */
export const DEFAULT_TIMEOUT = 600_000

/** Retries of a failed call, unless the node's options set another number. */
export const DEFAULT_RETRIES = 2

/** What the options of the node set. */
export interface AudioClientOptions {
  /** Milliseconds for each whole call; 0 for no limit. @default 600000 */
  readonly timeout?: number | undefined
  /** How often a failed call is sent again. @default 2 */
  readonly retries?: number | undefined
  /** Whether to repeat a call that the service may have done already. @default what the credentials say */
  readonly repeats?: boolean | undefined
}

/** What the credentials hold. */
export interface AudioCredentials {
  readonly apiKey: string
  readonly baseUrl: string
  readonly ignoreSslIssues?: boolean
  readonly idempotencyKeys?: boolean
  readonly webhookSecret?: string
}

/** Reads the credentials of a node. */
export function readCredentials(context: N8nContext): Promise<AudioCredentials> {
  return context.getCredentials<AudioCredentials>(CREDENTIAL)
}

/** A client and the transport that it sends with. */
export interface N8nAudioClient {
  readonly audio: PureAudioClient
  readonly transport: N8nTransport
}

/**
 * The client for the credentials of a node.
 * @throws ConfigurationError when the credentials hold no usable address or key
 */
export async function createAudioClient(context: N8nContext, options?: AudioClientOptions): Promise<N8nAudioClient> {
  const credentials = await readCredentials(context)
  const transport = n8nTransport(context, { ignoresCertificates: credentials.ignoreSslIssues === true })
  return { audio: audioClientFor(credentials, transport, options), transport }
}

/**
 * The client for these credentials. The service decides about private addresses: a self-hosted service and the URLs of
 * its results are in the private network too.
 * @throws ConfigurationError when the credentials hold no usable address or key
 */
export function audioClientFor(
  { apiKey, baseUrl, idempotencyKeys }: AudioCredentials,
  transport: Transport,
  { timeout = DEFAULT_TIMEOUT, retries = DEFAULT_RETRIES, repeats = true }: AudioClientOptions = {},
): PureAudioClient {
  return new PureAudioClient({
    // Pasted keys and addresses often end in a space or a line break.
    apiKey: apiKey.trim(),
    baseUrl: baseUrl.trim(),
    transport,
    clock: n8nClock,
    nameUpload,
    checkRequest,
    maxRetries: retries,
    idempotent: idempotencyKeys === true && repeats,
    allowPrivateUrls: true,
    ...(timeout === 0 ? {} : { timeout }),
  })
}

/** The longest delay that a timer can hold, about 25 days; it would fire a longer one at once. */
const MAX_DELAY = 2 ** 31 - 1

/** Time as n8n keeps it: a community node may have no timer of its own. */
export const n8nClock: Clock = {
  now: () => performance.now(),
  setTimer(milliseconds, run) {
    const takenBack = new AbortController()
    // A `sleep` that was taken back rejects, or, in n8n before 2.0, ends in its own time.
    const end = (): void => {
      if (!takenBack.signal.aborted) run()
    }
    void sleep(Math.min(milliseconds, MAX_DELAY), takenBack.signal).then(end, () => {})
    return () => takenBack.abort()
  },
}
