import type { ServiceState } from '../../shared/api.ts'
import { type Checked, ServiceCheck } from './service-check.ts'
import type { Upstream } from '../upstream.ts'

/** Deadline of a check, in milliseconds. The service may be far away. */
const CHECK_TIMEOUT = 2000

/** A service that somebody else runs. Any response but a refused key counts as `up`: the page shows its refusals itself. */
export function otherService(baseUrl: string, apiKey: string): Upstream {
  const check = new ServiceCheck(() => `${baseUrl}/v1/models`, CHECK_TIMEOUT, { authorization: `Bearer ${apiKey}` })
  return {
    baseUrl,
    apiKey,
    embedded: false,
    state: async () => stateOf(await check.result()),
    ready: async () => {},
    retry: () => check.reset(),
    pid: () => undefined,
    close: async () => {},
  }
}

function stateOf(checked: Checked): ServiceState {
  if (checked === 'unreachable') return 'down'
  if (checked === 401 || checked === 403) return 'refused'
  return checked === 'silent' ? 'silent' : 'up'
}
