import { createSemaphore, nameUpload } from '@svc-audio/core/fetch'
import { PureAudioClient } from '@svc-audio/core/pure'
import { n8nClock } from './n8n-clock.ts'
import { CREDENTIAL, type N8nContext, n8nTransport } from './n8n-transport.ts'

/** Milliseconds that a whole call may take unless the node's options say otherwise. */
export const DEFAULT_TIMEOUT = 600_000

/**
 * The client for the credentials of a node.
 *
 * @param timeout Milliseconds for each whole call; 0 for no limit.
 * @throws ConfigurationError when the credentials hold no usable address or key
 */
export async function createAudioClient(
  context: N8nContext,
  timeout: number = DEFAULT_TIMEOUT,
): Promise<PureAudioClient> {
  const { apiKey, baseUrl } = await context.getCredentials<{ apiKey: string; baseUrl: string }>(CREDENTIAL)
  return new PureAudioClient({
    apiKey,
    baseUrl,
    transport: n8nTransport(context),
    clock: n8nClock,
    semaphore: createSemaphore(64),
    nameUpload,
    ...(timeout === 0 ? {} : { timeout }),
  })
}
