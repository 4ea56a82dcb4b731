import { setTimeout as delay } from 'node:timers/promises'
import type { INodeParameters } from 'n8n-workflow'
import { Random, SEED } from '@svc-audio/kit/engine-fixtures/random.ts'
import { type LocalServer, startLocalServer } from './local-server.ts'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'
import type { N8nRest } from './rest.ts'
import type { N8nServer } from './server.ts'

const random = new Random(SEED)

const ITEMS = 1000
const MEBIBYTE = 1024 * 1024

/** Size of the first item's audio, in bytes. Each item has one byte more than the one before. */
const AUDIO_BYTES = MEBIBYTE / 4

/** How much more memory n8n may need while it handles 1,000 items, in bytes: an eighth of their audio. */
const MOST_GROWTH = 32 * MEBIBYTE

/** How often the memory is read, in milliseconds. */
const SAMPLE_INTERVAL = 3000

/**
 * A service that answers 5 % of the requests with 429, and cuts 1 % of the connections after the work: before the
 * response, or in the middle of it.
 */
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
  const order = output.map(({ bytes = 0 }) => bytes - AUDIO_BYTES)
  const inOrder = order.length === ITEMS && order.every((index, at) => index === at)
  const twice = [...service.done.values()].filter((count) => count !== 1).length
  if (!inOrder || twice > 0 || service.done.size !== ITEMS)
    throw new Error(`${order.length} items, in order: ${inOrder}, ${service.done.size} done, ${twice} more than once`)
  return `${ITEMS} items once and in order, with ${service.refused} refused and ${service.cut} cut`
}

/** What is measured is in use: garbage is collected before. */
async function grows(server: N8nServer, run: () => Promise<string>): Promise<string> {
  const before = await server.liveMemory()
  let most = before
  const ended = new AbortController()
  const sampling = sample(async () => (most = Math.max(most, await server.liveMemory())), ended.signal)
  const line = await run().finally(() => ended.abort())
  await sampling
  const audio = `${((ITEMS * AUDIO_BYTES) / MEBIBYTE).toFixed(0)} MB of audio`
  const growth = `+${((most - before) / MEBIBYTE).toFixed(0)} MB in use`
  if (most - before > MOST_GROWTH) throw new Error(`n8n has ${growth} for ${ITEMS} items with ${audio}`)
  return `${line}, ${audio}, ${growth}`
}

async function sample(read: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await read()
    await delay(SAMPLE_INTERVAL, undefined, { signal }).catch(() => {})
  }
}

async function startUnsteadyService(): Promise<UnsteadyService> {
  const done = new Map<string, number>()
  const keys = new Set<string>()
  const state = { refused: 0, cut: 0 }
  const server = await startLocalServer(async (request, response) => {
    let received = ''
    for await (const part of request) received += String(part)
    if (random.next() < 0.05) {
      service.refused += 1
      response.writeHead(429, { 'retry-after': '0', 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { code: 'rate_limited', message: 'Later' } }))
      return
    }
    const { input } = JSON.parse(received) as { input: string }
    const key = String(request.headers['idempotency-key'])
    if (!keys.has(key)) done.set(input, (done.get(input) ?? 0) + 1)
    keys.add(key)
    const isCut = random.next() < 0.01
    if (isCut) service.cut += 1
    if (isCut && random.next() < 0.5) {
      response.destroy()
      return
    }
    const length = AUDIO_BYTES + Number(input.split(' ').at(-1))
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': length })
    if (isCut) response.write(Buffer.alloc(Math.floor(length / 2)), () => response.destroy())
    else response.end(Buffer.alloc(length))
  })
  const service: UnsteadyService = Object.assign(state, { ...server, done })
  return service
}
