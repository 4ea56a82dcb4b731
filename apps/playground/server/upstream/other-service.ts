import type { ServiceState } from '../../shared/api.ts'
import type { Upstream } from './upstream.ts'

/** Deadline of a check, in milliseconds. */
const TIMEOUT = 5000

/** How long the result of a check is used, in milliseconds. A page asks more often. */
const FRESH = 2000

/** A service that somebody else runs. Any HTTP answer counts as `up`: the page shows its refusals itself. */
export function otherService(baseUrl: string, apiKey: string): Upstream {
  let checked: { readonly at: number; readonly state: Promise<ServiceState> } | undefined
  const check = async (): Promise<ServiceState> => {
    const headers = { authorization: `Bearer ${apiKey}` }
    try {
      const response = await fetch(`${baseUrl}/v1/models`, { headers, signal: AbortSignal.timeout(TIMEOUT) })
      await response.body?.cancel()
      return 'up'
    } catch {
      return 'down'
    }
  }
  return {
    baseUrl,
    apiKey,
    embedded: false,
    state: () => {
      if (checked === undefined || performance.now() - checked.at > FRESH) {
        checked = { at: performance.now(), state: check() }
      }
      return checked.state
    },
    ready: async () => {},
    retry: () => {
      checked = undefined
    },
    pid: () => undefined,
    close: async () => {},
  }
}
