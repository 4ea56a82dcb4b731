/** Arguments of a client that holds streams open. */
export interface StreamArgs {
  /** Address of the service without `/v1`. */
  readonly origin: string
  /** Streams open at once. */
  readonly streams: number
}

/** Streams that begin at once. More would only fill the backlog of the listener. */
const AT_ONCE = 250

/**
 * Opens streams and holds them.
 * @param open Opens a stream and reads its first chunk
 * @returns bytes of memory for each stream
 */
export async function holdStreams({ streams }: StreamArgs, open: () => Promise<unknown>): Promise<number> {
  // The first stream loads the code.
  const held: unknown[] = [await open()]
  const before = process.memoryUsage().rss
  while (held.length <= streams) held.push(...(await Promise.all(Array.from({ length: AT_ONCE }, open))))
  return (process.memoryUsage().rss - before) / (held.length - 1)
}
