import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Body, Fault, Forwarded, Passed } from './fault.ts'
import type { HonestServer } from './honest-server.ts'

/** A running proxy. */
export interface FaultProxy {
  readonly url: string
  close(): void
}

/** Starts a proxy with a fault in front of a service. */
export async function startFaultProxy(honest: HonestServer, fault: Fault): Promise<FaultProxy> {
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const early = fault.early?.(incoming.url ?? '/', Number(incoming.headers['content-length'] ?? 0))
    if (early !== undefined) return write(outgoing, early)
    const request = await readRequest(incoming)
    const instead = fault.instead?.(request)
    if (instead === 'drop') {
      outgoing.destroy()
      return
    }
    if (instead !== undefined) return write(outgoing, instead)
    fault.request?.(request)
    const response = await honest.answer(request, fault.newTasks === true)
    if (response.status < 300) await fault.answer?.(response, request)
    else fault.refusal?.(response, request)
    write(outgoing, response)
  }
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Parses a JSON object, or returns an empty one. */
export function parseFields(bytes: Buffer): Body {
  try {
    return { ...Object(JSON.parse(bytes.toString())) }
  } catch {
    return {}
  }
}

/** Creates a response of a fault. */
export function jsonResponse(status: number, value: unknown): Passed {
  return {
    status,
    headers: new Headers({ 'content-type': 'application/json' }),
    body: Buffer.from(JSON.stringify(value)),
  }
}

async function readRequest(incoming: IncomingMessage): Promise<Forwarded> {
  const { method = 'GET', url: path = '/', headers } = incoming
  const raw = await buffer(incoming)
  const { authorization, 'content-type': contentType } = headers
  const isForm = contentType?.startsWith('multipart/form-data') === true
  const form = isForm ? await readForm(raw, contentType) : undefined
  const json = contentType?.startsWith('application/json') === true ? parseFields(raw) : {}
  return { method, path, authorization, json, form, raw, contentType }
}

async function readForm(raw: Buffer, contentType: string): Promise<FormData | undefined> {
  const read = new Response(Uint8Array.from(raw), { headers: { 'content-type': contentType } })
  return read.formData().catch(() => undefined)
}

function write(outgoing: ServerResponse, { status, headers, body, cutAfter }: Passed): void {
  const passed = [...headers].filter(([name]) => ['content-type', 'date'].includes(name) || name.startsWith('x-'))
  outgoing.writeHead(status, Object.fromEntries(passed))
  if (cutAfter === undefined) outgoing.end(body)
  else outgoing.write(body.subarray(0, cutAfter), () => outgoing.destroy())
}
