/** Memory that is in use after a collection of all garbage. */
interface HeapUsage {
  readonly usedSize: number
  readonly backingStorageSize: number
}

/**
 * Collects the garbage of a process, and measures what stays: objects, and the bytes of buffers.
 * @param url Where its inspector listens.
 * @returns Bytes
 */
export async function liveMemory(url: string): Promise<number> {
  const socket = new WebSocket(url)
  const failed = Promise.withResolvers<never>()
  socket.addEventListener('error', () => failed.reject(new Error(`The inspector at ${url} does not answer`)))
  const call = async <Result>(id: number, method: string): Promise<Result> => {
    const answered = Promise.withResolvers<Result>()
    const receive = ({ data }: MessageEvent): void => {
      const message = JSON.parse(String(data)) as { id?: number; result: Result }
      if (message.id === id) answered.resolve(message.result)
    }
    socket.addEventListener('message', receive)
    socket.send(JSON.stringify({ id, method }))
    return Promise.race([answered.promise, failed.promise])
  }
  try {
    const opened = new Promise((resolve) => socket.addEventListener('open', resolve))
    await Promise.race([opened, failed.promise])
    await call(1, 'HeapProfiler.collectGarbage')
    const { usedSize, backingStorageSize } = await call<HeapUsage>(2, 'Runtime.getHeapUsage')
    return usedSize + backingStorageSize
  } finally {
    socket.close()
  }
}
