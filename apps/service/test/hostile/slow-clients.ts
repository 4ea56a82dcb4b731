import { setTimeout as delay } from 'node:timers/promises'
import type { Socket } from 'node:net'
import { HttpClient } from './http-client.ts'
import { open, streamRequest, uploadBeginning } from './sockets.ts'
import type { ServiceChild } from './service-child.ts'

/** Bytes of a slow client, sent one by one. */
const DRIPS = 10
const PAUSE_MS = 5

/**
 * Clients that send their head byte by byte, stop in the middle of an upload, or never read their response.
 * @returns Status of an ordinary request in the meantime
 */
export async function slowClients(service: ServiceChild, count: number): Promise<number> {
  const client = new HttpClient(service.url, service.key)
  const sockets: Socket[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const socket = await open(service)
      sockets.push(socket)
      if (index % 3 === 1) socket.write(uploadBeginning(service))
      // Without a reader, sent bytes stay in the buffers.
      if (index % 3 === 2) socket.pause().write(streamRequest(service))
    }
    const dripping = sockets.filter((_, index) => index % 3 === 0)
    for (const letter of 'POST /v1/audio/speech'.slice(0, DRIPS)) {
      for (const socket of dripping) socket.write(letter)
      await delay(PAUSE_MS)
    }
    const { status } = await client.send({ method: 'GET', path: '/v1/models', headers: {} })
    return status
  } finally {
    for (const socket of sockets) socket.destroy()
    client.close()
  }
}
