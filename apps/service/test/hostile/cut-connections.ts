import type { Socket } from 'node:net'
import { open, streamRequest, uploadBeginning } from './sockets.ts'
import type { ServiceChild } from './service-child.ts'

/** Connections open at the same time. */
const AT_ONCE = 40

/**
 * Opens connections and cuts each mid-stream: most while they receive audio, others while they upload.
 * @returns The number of connections that had received audio
 */
export async function cutConnections(service: ServiceChild, count: number): Promise<number> {
  let receiving = 0
  const left = Array.from({ length: count }, (_, index) => index)
  const work = async (): Promise<void> => {
    for (let index = left.pop(); index !== undefined; index = left.pop()) {
      const socket = await open(service)
      const isUpload = index % 4 === 3
      if (isUpload) await written(socket, uploadBeginning(service))
      else {
        socket.write(streamRequest(service))
        if (await receivesAudio(socket)) receiving += 1
      }
      if (index % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return receiving
}

function written(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => socket.write(text, () => resolve()))
}

/** Resolves with the first audio, or at the end of a response without audio. */
function receivesAudio(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let text = ''
  socket.on('data', (data) => {
    text = `${text}${data.toString()}`.slice(-20_000)
    if (!text.includes('speech.audio.delta')) return
    socket.pause()
    resolve(true)
  })
  socket.once('close', () => resolve(false))
  return promise
}
