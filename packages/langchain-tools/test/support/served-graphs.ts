import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { BaseMessage, coerceMessageLikeToMessage } from '@langchain/core/messages'
import { RemoteGraph } from '@langchain/langgraph/remote'
import { serverUrl } from '@svc-audio/testing'
import type { StreamingAgent } from '../../src/voice/index.ts'

/** The part of a compiled graph that is served. */
interface Graph {
  stream(
    input: { messages: BaseMessage[] },
    config: { streamMode: ['messages', 'updates']; signal: AbortSignal },
  ): Promise<AsyncIterable<unknown>>
}

/** Serves graphs as a LangGraph server does: runs without a thread, whose events are JSON. */
export class ServedGraphs {
  readonly #graphs = new Map<string, Graph>()
  readonly #http: Server

  private constructor() {
    this.#http = createServer((request, response) => void this.#run(request, response))
  }

  static async start(): Promise<ServedGraphs> {
    const served = new ServedGraphs()
    served.#http.listen(0, '127.0.0.1')
    await once(served.#http, 'listening')
    return served
  }

  /** @returns a graph that is called over HTTP */
  serve(graph: StreamingAgent): StreamingAgent {
    const graphId = `graph-${this.#graphs.size}`
    this.#graphs.set(graphId, graph)
    return new RemoteGraph({ graphId, url: serverUrl(this.#http) })
  }

  close(): void {
    this.#http.closeAllConnections()
    this.#http.close()
  }

  async #run(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
      assistant_id: string
      input: { messages: object[] }
    }
    const graph = this.#graphs.get(body.assistant_id)
    if (graph === undefined) throw new Error(`${request.url}: no graph ${body.assistant_id}`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    try {
      const messages = body.input.messages.map((message) => coerceMessageLikeToMessage(message as never))
      const streamed = await graph.stream({ messages }, { streamMode: ['messages', 'updates'], signal: gone.signal })
      for await (const item of streamed) {
        const [event, data] = item as [string, unknown]
        response.write(`event: ${event}\ndata: ${JSON.stringify(plain(data))}\n\n`)
      }
      response.end('event: end\ndata: null\n\n')
    } catch (error) {
      if (!gone.signal.aborted) response.end(`event: error\ndata: ${JSON.stringify(String(error))}\n\n`)
    }
  }
}

/** Messages as a LangGraph server writes them: fields beside a type. */
function plain(value: unknown): unknown {
  if (BaseMessage.isInstance(value)) {
    const { type, data } = value.toDict()
    const isPiece = value.constructor.name.endsWith('Chunk')
    return { ...data, type: isPiece ? value.constructor.name : type }
  }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}
