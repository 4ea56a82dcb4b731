import { setTimeout as delay } from 'node:timers/promises'
import type { Socket } from 'node:net'
import { HttpClient } from './http-client.ts'
import { open, streamRequest, uploadBeginning } from './sockets.ts'
import type { ServiceChild } from './service-child.ts'

/** Bytes that a slow client sends, one after the other. */
const DRIPS = 10
const PAUSE_MS = 5

/**
 * Clients that send their head byte by byte, stop in the middle of an upload, or never read what they asked for.
 * @returns Status of an ordinary request that was made while they were there
 */
export async function slowClients(service: ServiceChild, count: number): Promise<number> {
  const client = new HttpClient(service.url, service.key)
  const sockets: Socket[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const socket = await open(service)
      sockets.push(socket)
      if (index % 3 === 1) socket.write(uploadBeginning(service))
      // Nobody reads, so that what is sent stays where it is.
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
