import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  disconnectSignal,
  fromWebRequest,
  requestText,
  type ServerPort,
  webDisconnectSignal,
  webText,
} from '@svc-audio/upload'
import type { Context, Env } from 'hono'

/** The parts of a Hono context. */
export function honoPort<E extends Env>(): ServerPort<Context<E>> {
  return {
    context: (c) => c,
    upload: (c) => nodeExchange(c)?.incoming ?? fromWebRequest(c.req.raw),
    signal: (c) => {
      const exchange = nodeExchange(c)
      return exchange === undefined ? webDisconnectSignal(c.req.raw) : disconnectSignal(exchange.outgoing)
    },
    method: (c) => c.req.method,
    path: (c) => c.req.path,
    header: (c, name) => c.req.header(name),
    text: textOf,
    taskId: (c) => c.req.param('id') ?? '',
  }
}

/**
 * Node's request and response, which `@hono/node-server` puts into `c.env`. Only they keep the connection of a refused upload
 * open until a proxy has read the response.
 */
export function nodeExchange<E extends Env>({ env }: Context<E>): NodeExchange | undefined {
  const given: unknown = env
  if (typeof given !== 'object' || given === null || !('incoming' in given && 'outgoing' in given)) return undefined
  const { incoming, outgoing } = given
  return isIncoming(incoming) && isOutgoing(outgoing) ? { incoming, outgoing } : undefined
}

// By their methods: HTTP/2 has other classes, and Workers have none.
function isIncoming(value: unknown): value is IncomingMessage {
  return hasMethod(value, 'pipe') && 'headers' in value
}

function isOutgoing(value: unknown): value is ServerResponse {
  return hasMethod(value, 'writeHead')
}

function hasMethod(value: unknown, name: string): value is object {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
}

/** Node's request and its response. */
export interface NodeExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** A validator may have read the body. Hono then has its JSON. */
async function textOf<E extends Env>(c: Context<E>): Promise<string> {
  if (!c.req.raw.bodyUsed) return webText(c.req.raw)
  return requestText({ body: await c.req.json<unknown>(), query: c.req.query('text') })
}
