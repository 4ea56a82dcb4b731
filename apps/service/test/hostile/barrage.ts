import { type Case, casesOf } from './cases.ts'
import { type Context, readContext } from './context.ts'
import { HttpClient } from './http-client.ts'
import { type Route, ROUTES } from './routes.ts'
import type { ServiceChild } from './service-child.ts'
import { Tally } from './tally.ts'

/** Options of {@link barrage}. */
export interface BarrageOptions {
  readonly requests: number
  readonly seed: number
  readonly formats: readonly string[]
  /** Requests in flight. @default 16 */
  readonly atOnce?: number
}

/** Requests before the first memory measurement, to fill caches. */
const WARM_UP = 0.2
/** Small: generated requests must not fill the generator's memory. */
const BATCH = 400

/** Sends generated requests to every existing route, equally many to each. */
export async function barrage(
  service: ServiceChild,
  { requests, seed, formats, atOnce = 16 }: BarrageOptions,
  warm: () => Promise<void> = async () => undefined,
): Promise<Tally> {
  const client = new HttpClient(service.url, service.key)
  const tally = new Tally([service.dataDir])
  try {
    const context = await readContext(client, formats)
    const routes = await offeredRoutes(client, context)
    for (let sent = 0, batch = 0, isWarm = false; sent < requests; batch += 1) {
      const count = Math.ceil(Math.min(BATCH, requests - sent) / routes.length)
      const cases = routes.flatMap((route, at) => casesOf(route, context, { count, seed: seed + batch * 1000 + at }))
      await sendAll(client, cases, tally, atOnce)
      sent += cases.length
      if (!isWarm && sent >= requests * WARM_UP) {
        isWarm = true
        await warm()
      }
    }
  } finally {
    client.close()
  }
  return tally
}

/** Existing routes: every response except an unknown path or method. */
async function offeredRoutes(client: HttpClient, context: Context): Promise<Route[]> {
  const offered: Route[] = []
  for (const route of ROUTES.filter(({ needs }) => needs?.(context) ?? true)) {
    const [first] = casesOf(route, context, { count: 1, seed: 1 })
    if (first === undefined) continue
    const { text } = await client.send(first.request)
    if (!/"code":"(not_found|method_not_allowed)"/.test(text)) offered.push(route)
  }
  return offered
}

async function sendAll(client: HttpClient, cases: Case[], tally: Tally, atOnce: number): Promise<void> {
  const queue = [...cases]
  const work = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      try {
        tally.answered(next, await client.send(next.request))
      } catch (error) {
        tally.failed(next, error)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
