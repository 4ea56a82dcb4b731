import { Agent } from 'undici'
import { BENCH_KEY } from './bench-key.ts'
import type { Server } from './server.ts'

/** Requests in flight at the same time. */
const IN_FLIGHT = 16

/** Open connections of one run of a case. */
export function connections(): Agent {
  return new Agent({ connections: IN_FLIGHT, keepAliveTimeout: 60_000 })
}

/** Reads a path this many times. @returns microseconds of the server's CPU a request */
export async function readMany(agent: Agent, server: Server, path: string, count: number): Promise<number> {
  let left = count
  const reader = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await read(agent, server, path)
    }
  }
  await server.cost()
  await Promise.all(Array.from({ length: IN_FLIGHT }, reader))
  const { cpuSeconds } = await server.cost()
  return (cpuSeconds * 1e6) / count
}

/** Reads a path. @throws unless the response is 200 */
export async function read(agent: Agent, { origin }: Server, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${BENCH_KEY}` }
  const { statusCode, body } = await agent.request({ origin, path, method: 'GET', headers })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text}`)
  return text
}
