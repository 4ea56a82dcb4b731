import { join } from 'node:path'
import { type Agent, FormData } from 'undici'
import {
  type BenchCase,
  type BenchContext,
  type BenchRow,
  besideLimit,
  medians,
  rounds,
} from '../harness/bench-case.ts'
import { silentWav } from '../harness/wav.ts'
import { BENCH_KEY, connections } from '../self-hosted/requests.ts'
import { Server } from '../self-hosted/server.ts'

/** Largest CPU of a request, next to our own route's. */
const MOST_RATIO = 1.05

const WORD = { input: 'Good morning, everyone.', response_format: 'wav' }

/** The same work through both routes. */
interface Work {
  readonly name: string
  /** Requests before the clock starts, of each route. */
  readonly warmUp: number
  /** Counted requests of a turn. Few, so that other load of the machine affects every contestant alike. */
  readonly turn: number
  /** Turns of each contestant. */
  readonly turns: number
  /** The path after the version, and the body of each route. */
  readonly path: string
  readonly bodies?: Readonly<Record<Route, () => object>>
}

/** The OpenAI API, and our own. */
const ROUTES = { ours: '/openai/v1', limit: '/v1' } as const
type Route = keyof typeof ROUTES

/** The third contestant is our own route again: its difference to the limit is the error of the measurement. */
const CONTESTANTS = { ours: 'ours', limit: 'limit', again: 'limit' } as const

const WORKS: readonly Work[] = [
  { name: 'GET models', path: '/models', warmUp: 20_000, turn: 50, turns: 300 },
  {
    name: 'POST speech',
    path: '/audio/speech',
    warmUp: 100,
    turn: 1,
    turns: 300,
    bodies: {
      ours: () => ({ ...WORD, model: 'tts-1', voice: 'rms' }),
      limit: () => ({ ...WORD, model: 'svc-tts-1.5-flash', voice_id: 'rms' }),
    },
  },
  {
    name: 'POST transcriptions',
    path: '/audio/transcriptions',
    warmUp: 30,
    turn: 1,
    turns: 100,
    bodies: { ours: () => formOf('svc-transcribe-1.0'), limit: () => formOf('svc-transcribe-1.0') },
  },
]

/** The cost of the OpenAI API over our own routes. */
export const benchCase: BenchCase = {
  name: 'service-openai',
  description: 'the OpenAI API of the self-hosted service and its own routes: CPU of the answering process a request',
  async run(context) {
    const agent = connections()
    const server = await Server.service(context, join(context.folder, 'service-openai'))
    try {
      const rows: BenchRow[] = []
      for (const work of WORKS) rows.push(await compare(context, { agent, server }, work))
      return rows
    } finally {
      server.stop()
      await agent.close()
    }
  },
}

function formOf(model: string): FormData {
  const form = new FormData()
  form.append('model', model)
  form.append('file', new Blob([silentWav(1)]), 'silence.wav')
  return form
}

interface Connected {
  readonly agent: Agent
  readonly server: Server
}

async function compare(context: BenchContext, connected: Connected, work: Work): Promise<BenchRow> {
  const name = `OpenAI API, ${work.name}`
  context.progress(name)
  for (const route of ['ours', 'limit'] as const) {
    for (let sent = 0; sent < work.warmUp; sent += 1) await sendWork(connected, work, route)
  }
  const quiet: BenchContext = { ...context, progress: () => {} }
  const runs = await rounds(quiet, ['ours', 'limit', 'again'], work.turns, (who) =>
    takeTurn(connected, work, CONTESTANTS[who]),
  )
  const { ours, limit, again } = medians(runs, (microseconds) => microseconds)
  return besideLimit({ name, unit: 'µs CPU', ours, limit, peers: { 'our own route again': again } }, MOST_RATIO)
}

/**
 * Sends the counted requests of a turn one after the other. One request before them is not counted: the service still
 * works for a moment after a response, and that work must not count for the next contestant.
 * @returns microseconds of the server's CPU a request
 */
async function takeTurn(connected: Connected, work: Work, route: Route): Promise<number> {
  await sendWork(connected, work, route)
  await connected.server.cost()
  for (let sent = 0; sent < work.turn; sent += 1) await sendWork(connected, work, route)
  const { cpuSeconds } = await connected.server.cost()
  return (cpuSeconds * 1e6) / work.turn
}

function sendWork({ agent, server }: Connected, { path, bodies }: Work, route: Route): Promise<void> {
  return send(agent, server, { path: `${ROUTES[route]}${path}`, body: bodies?.[route]() })
}

/** Sends a request and reads its response. @throws unless the response is 200 */
async function send(
  agent: Agent,
  { origin }: Server,
  { path, body }: { readonly path: string; readonly body: object | undefined },
): Promise<void> {
  const form = body instanceof FormData
  const type = body === undefined || form ? {} : { 'content-type': 'application/json' }
  const response = await agent.request({
    origin,
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${BENCH_KEY}`, ...type },
    body: body === undefined ? null : form ? body : JSON.stringify(body),
  })
  const bytes = await response.body.bytes()
  if (response.statusCode !== 200) throw new Error(`${path} was answered ${response.statusCode}: ${String(bytes)}`)
}
