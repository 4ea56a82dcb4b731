import type { EventDeadline } from '../streaming/event-source.ts'
import type { Api } from '../transport/api.ts'
import type { CallOptions } from '../transport/call-options.ts'
import { checkTimeout } from '../transport/settings.ts'

/**
 * How long a stream of one call may be silent.
 * @throws ConfigurationError for an impossible time
 */
export function eventDeadline(api: Api, options?: CallOptions): EventDeadline {
  const idleEventsTimeout = api.idleEventsTimeout(options)
  checkTimeout(idleEventsTimeout, 'idleEventsTimeout')
  return { clock: api.clock, idleEventsTimeout }
}
