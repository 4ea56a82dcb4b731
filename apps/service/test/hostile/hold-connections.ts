import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceChild } from './service-child.ts'

/** How strangers hold connections: by the body of a refused upload, by the head of a request, or by silence. */
export const HOLDERS = {
  'drips the body of a refused upload': {
    head: 'POST /v1/files HTTP/1.1\r\nhost: a\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 100000000\r\n\r\n',
    drip: '-',
  },
  'drips the body of an upload to a path that does not exist': {
    head: 'POST /v1/nothing HTTP/1.1\r\nhost: a\r\ncontent-length: 100000000\r\n\r\n',
    drip: '-',
  },
  'drips the body of an upload with an unsupported expectation': {
    head: 'POST /v1/files HTTP/1.1\r\nhost: a\r\nexpect: miracles\r\ncontent-length: 100000000\r\n\r\n',
    drip: '-',
  },
  'drips the head of a request': { head: 'GET /v1/models HTTP/1.1\r\nhost: a\r\nx: ', drip: 'x' },
  'sends nothing': { head: '', drip: '' },
} as const

/** Addresses of this machine: the strangers', and one of another client. */
const STRANGER = '127.0.0.1'
const NEIGHBOUR = '127.0.0.2'

const DRIP_MS = 200
/** A stranger whose connection was closed opens another one after this time. */
const REOPEN_MS = 1000

/**
 * Holds connections of one address, and asks for models over fresh connections of the same and of another address.
 * @param count Connections that are held at a time.
 * @returns Results of the fresh connections: a status, or the error of the connection
 */
export async function besideHolders(
  service: ServiceChild,
  { head, drip }: { readonly head: string; readonly drip: string },
  { count, checks, pauseMs }: { readonly count: number; readonly checks: number; readonly pauseMs: number },
): Promise<string[]> {
  const stop = new AbortController()
  const holders = Array.from({ length: count }, () => hold(service, head, drip, stop.signal))
  try {
    await delay(pauseMs)
    const results: string[] = []
    for (let check = 0; check < checks; check += 1) {
      results.push(await askFresh(service, STRANGER), await askFresh(service, NEIGHBOUR))
      await delay(pauseMs)
    }
    return results
  } finally {
    stop.abort()
    await Promise.all(holders)
  }
}

async function hold(service: ServiceChild, head: string, drip: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const socket = openFrom(service, STRANGER)
    socket.resume().write(head)
    while (!signal.aborted && !socket.destroyed) {
      await delay(DRIP_MS)
      socket.write(drip)
    }
    socket.destroy()
    if (!signal.aborted) await delay(REOPEN_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Asks over a connection of its own. */
export function askFresh(service: ServiceChild, address: string = NEIGHBOUR): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = openFrom(service, address)
  const request = `GET /v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${service.key}\r\nconnection: close\r\n\r\n`
  let text = ''
  socket.on('data', (data) => (text += data.toString()))
  socket.on('error', (error) => resolve(error.message))
  socket.on('close', () => resolve(/^HTTP\/1\.1 (?<status>\d+)/.exec(text)?.groups?.['status'] ?? 'closed'))
  socket.write(request)
  return promise
}

function openFrom({ url }: ServiceChild, localAddress: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, localAddress })
  // The service closes connections of strangers.
  socket.on('error', () => undefined)
  return socket
}
