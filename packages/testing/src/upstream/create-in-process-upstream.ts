import { fullOptions, type TestUpstreamOptions } from './options.ts'
import type { TestUpstream } from './test-upstream.ts'
import { Upstream } from './upstream.ts'

/** An address that no network has: `.invalid` is reserved. */
const URL_IN_PROCESS = 'http://upstream.invalid'

/**
 * Creates a scripted upstream without a server, for places that cannot listen: worker pools, Workers, sandboxes. Give the
 * client its `transport`, or your code its `fetch`. Answers by `handle()` need a server.
 * @throws TypeError naming an unknown option
 * @throws RangeError naming an option with a wrong value
 * @example
 * const upstream = createInProcessUpstream()
 * const audio = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url, transport: upstream.transport })
 */
export function createInProcessUpstream(options: TestUpstreamOptions = {}): TestUpstream {
  const full = fullOptions('createInProcessUpstream()', options)
  return new Upstream({ url: URL_IN_PROCESS, close: () => Promise.resolve() }, full)
}
