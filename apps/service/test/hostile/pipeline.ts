import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceChild } from './service-child.ts'
import { open, streamRequest } from './sockets.ts'
import { whenClosed } from '../support/connections.ts'

/** Statuses of responses, with their number. */
export type Statuses = Readonly<Record<string, number>>

/** Sends many requests on one connection before it reads a response. @returns the statuses of all responses */
export async function pipeline(service: ServiceChild, count: number, key: string = service.key): Promise<Statuses> {
  const socket = await open(service)
  const request = `GET /v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n\r\n`
  const last = `${request.slice(0, -2)}connection: close\r\n\r\n`
  let text = ''
  socket.on('data', (data) => (text += data.toString()))
  socket.write(request.repeat(count - 1) + last)
  await whenClosed(socket)
  const statuses: Record<string, number> = {}
  for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d+) /g)) statuses[status] = (statuses[status] ?? 0) + 1
  return statuses
}

/** Sends streams on one connection, reads nothing, and disconnects. */
export async function abandonPipeline(service: ServiceChild, count: number): Promise<void> {
  const socket = await open(service)
  socket.pause().write(streamRequest(service).repeat(count))
  await delay(200)
  socket.destroy()
}
