import type { PendingTranscript, StoredTranscript, TranscriptStore } from './transcript-store.ts'

/** Stores the newest transcripts in the memory of this process. @param max Most transcripts. */
export function memoryTranscripts(max = 100): TranscriptStore {
  const stored = new Map<string, StoredTranscript | PendingTranscript>()
  return {
    async get(id, { user } = {}) {
      return stored.get(keyOf(id, user))
    },
    async set(id, transcript, { user } = {}) {
      const key = keyOf(id, user)
      stored.delete(key)
      stored.set(key, transcript)
      for (const oldest of stored.keys()) {
        if (stored.size <= max) break
        stored.delete(oldest)
      }
    },
  }
}

/** JSON of a pair: no user's name can run into an id. */
function keyOf(id: string, user: string | undefined): string {
  return JSON.stringify([user ?? null, id])
}
