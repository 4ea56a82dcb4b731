/** Audio of this browser: recordings and files that no task of the service has. Its cache survives a reload. */
const CACHE = 'svc-audio'

/** Largest audio that survives a reload, in bytes. */
const MAX_BYTES = 100_000_000

/** What this visit has stored or read. A browser may have no cache, e.g. in a private window. */
const memory = new Map<string, Blob>()

/** Stores audio under an id. Without room, it lasts as long as the page. */
export async function storeAudio(id: string, audio: Blob): Promise<void> {
  memory.set(id, audio)
  if (audio.size > MAX_BYTES) return
  await withCache((cache) => cache.put(keyOf(id), new Response(audio)))
}

/** Reads stored audio. @returns `undefined` when there is none */
export async function storedAudio(id: string): Promise<Blob | undefined> {
  const known = memory.get(id)
  if (known !== undefined) return known
  const response = await withCache((cache) => cache.match(keyOf(id)))
  const audio = await response?.blob()
  if (audio !== undefined) memory.set(id, audio)
  return audio
}

/** Removes stored audio. */
export async function removeAudio(id: string): Promise<void> {
  memory.delete(id)
  await withCache((cache) => cache.delete(keyOf(id)))
}

async function withCache<T>(use: (cache: Cache) => Promise<T>): Promise<T | undefined> {
  try {
    return await use(await caches.open(CACHE))
  } catch {
    // A browser without a cache, or without room: the memory has the audio.
    return undefined
  }
}

function keyOf(id: string): string {
  return `/stored-audio/${encodeURIComponent(id)}`
}
