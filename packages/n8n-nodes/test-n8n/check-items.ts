import { setTimeout as delay } from 'node:timers/promises'
import type { INodeParameters } from 'n8n-workflow'
import { type LocalServer, startLocalServer } from './local-server.ts'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'
import type { N8nRest } from './rest.ts'
import type { N8nServer } from './server.ts'

const ITEMS = 1000
const MEBIBYTE = 1024 * 1024

/** How much the process may grow in a second run of 1,000 items, in bytes. */
const MOST_GROWTH = 96 * MEBIBYTE

/** A service that answers 5 % of the requests with 429, and cuts 1 % of the connections after the work. */
interface UnsteadyService extends LocalServer {
  /** How often the work on each text was done. */
  readonly done: Map<string, number>
  refused: number
  cut: number
}

/** 1,000 items, one and sixteen at once: each is done once, the order stays, and the memory stays flat. */
export async function checkItems(server: N8nServer, rest: N8nRest): Promise<string[]> {
  const service = await startUnsteadyService()
  try {
    const data = { apiKey: 'any-key', baseUrl: service.url, idempotencyKeys: true }
    const id = await rest.addCredential('Unsteady', 'svcAudioApi', data)
    const credentials = { svcAudioApi: { id, name: 'Unsteady' } }
    const lines: string[] = []
    for (const itemsAtOnce of [1, 16]) {
      const start = webhook('Texts', { responseData: 'allEntries' })
      const split: INodeParameters = { fieldToSplitOut: 'body.texts', options: {} }
      const options = { itemsAtOnce, retries: 10 }
      const speak = { text: "={{ $json['body.texts'] }}", voice: byId('v'), options }
      const nodes = [start, node('Split', 'splitOut', split), node('Speak', SVC_AUDIO, speak, { credentials })]
      const name = `Items ${itemsAtOnce}`
      const connections = chain('Texts', 'Split', 'Speak')
      await rest.addWorkflow({ name, nodes, connections }, { publish: true })
      const url = `${rest.url}/webhook/${start.parameters['path'] as string}`
      await runAll(url, service)
      lines.push(`${name} at once: ${await grows(server, () => runAll(url, service))}`)
    }
    return lines
  } finally {
    await service.close()
  }
}

/** @throws Error for an item that is missing, done twice or out of order */
async function runAll(url: string, service: UnsteadyService): Promise<string> {
  service.done.clear()
  Object.assign(service, { refused: 0, cut: 0 })
  const texts = Array.from({ length: ITEMS }, (_, index) => `Text ${index}`)
  const call = (): Promise<Response> =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ texts }) })
  let response = await call()
  for (let tries = 0; response.status === 404 && tries < 60; tries += 1) {
    await delay(1000)
    response = await call()
  }
  const output = (await response.json()) as { bytes?: number }[]
  if (!Array.isArray(output)) throw new Error(`The run failed: ${JSON.stringify(output).slice(0, 1000)}`)
  // The audio of each text has a length of its own.
  const order = output.map(({ bytes = 0 }) => bytes - 1)
  const inOrder = order.length === ITEMS && order.every((index, at) => index === at)
  const twice = [...service.done.values()].filter((count) => count !== 1).length
  if (!inOrder || twice > 0 || service.done.size !== ITEMS)
    throw new Error(`${order.length} items, in order: ${inOrder}, ${service.done.size} done, ${twice} more than once`)
  return `${ITEMS} items once and in order, with ${service.refused} refused and ${service.cut} cut`
}

async function grows(server: N8nServer, run: () => Promise<string>): Promise<string> {
  const before = await server.memory()
  let most = before
  const timer = setInterval(() => {
    void server.memory().then((now) => (most = Math.max(most, now)))
  }, 200)
  const line = await run().finally(() => clearInterval(timer))
  const megabytes = `${((most - before) / MEBIBYTE).toFixed(0)} MB`
  if (most - before > MOST_GROWTH) throw new Error(`n8n grew by ${megabytes} for ${ITEMS} items`)
  return `${line}, +${megabytes}`
}

async function startUnsteadyService(): Promise<UnsteadyService> {
  const done = new Map<string, number>()
  const keys = new Set<string>()
  const state = { refused: 0, cut: 0 }
  const server = await startLocalServer(async (request, response) => {
    let received = ''
    for await (const part of request) received += String(part)
    if (Math.random() < 0.05) {
      service.refused += 1
      response.writeHead(429, { 'retry-after': '0', 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { code: 'rate_limited', message: 'Later' } }))
      return
    }
    const { input } = JSON.parse(received) as { input: string }
    const key = String(request.headers['idempotency-key'])
    if (!keys.has(key)) done.set(input, (done.get(input) ?? 0) + 1)
    keys.add(key)
    if (Math.random() < 0.01) {
      service.cut += 1
      response.destroy()
      return
    }
    const index = Number(input.split(' ').at(-1))
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': index + 1 })
    response.end(Buffer.alloc(index + 1))
  })
  const service: UnsteadyService = Object.assign(state, { ...server, done })
  return service
}
