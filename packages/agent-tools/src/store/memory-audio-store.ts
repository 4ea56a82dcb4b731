import { randomBytes } from 'node:crypto'
import { integer, optional } from '#options'
import { checkOptions } from '../options/resolve-options.ts'
import {
  type AudioStore,
  type PendingTranscript,
  readAudio,
  type StoredTranscript,
  type TranscriptStore,
  typeOf,
} from './audio-store.ts'

/** Options of {@link memoryAudioStore}. */
export interface MemoryAudioStoreOptions {
  /** Maximum bytes of audio. The oldest audio is dropped for new audio. @default 268435456 (256 MB) */
  readonly maxBytes?: number
}

/**
 * Stores audio in the memory of this process: for tests, and for agents whose audio need not outlive it.
 * @throws ConfigurationError naming the option
 */
export function memoryAudioStore(options: MemoryAudioStoreOptions = {}): AudioStore & {
  /** The newest 100 transcripts, in memory too. */
  readonly transcripts: TranscriptStore
} {
  checkOptions(options, { maxBytes: optional(integer(1, 'bytes')) })
  const { maxBytes = 256 * 1024 * 1024 } = options
  const stored = new Map<string, { contentType: string; blob: Blob; user: string | undefined }>()
  let total = 0
  const makeRoom = (bytes: number): void => {
    if (bytes > maxBytes)
      throw new RangeError(`The audio is larger than ${maxBytes} bytes. Raise maxBytes, or use folderAudioStore()`)
    for (const [id, { blob }] of stored) {
      if (total + bytes <= maxBytes) break
      stored.delete(id)
      total -= blob.size
    }
  }
  return {
    transcripts: memoryTranscripts(),

    async put(audio, { contentType: given, signal, user }) {
      signal?.throwIfAborted()
      const chunks: Uint8Array<ArrayBuffer>[] = []
      let bytes = 0
      for await (const chunk of readAudio(audio)) {
        signal?.throwIfAborted()
        bytes += chunk.byteLength
        if (bytes > maxBytes) break
        chunks.push(new Uint8Array(chunk))
      }
      signal?.throwIfAborted()
      makeRoom(bytes)
      const [extension, contentType] = typeOf(given)
      const id = `audio_${randomBytes(16).toString('hex')}.${extension}`
      stored.set(id, { contentType, blob: new Blob(chunks), user })
      total += bytes
      return { id, contentType, bytes }
    },

    async list({ user, limit = 100 } = {}) {
      const own = [...stored].filter(([, one]) => one.user === user).toReversed()
      return own.slice(0, limit).map(([id, { contentType, blob }]) => ({ id, contentType, bytes: blob.size }))
    },

    async open(id, { user } = {}) {
      const found = stored.get(id)
      if (found === undefined || found.user !== user) return undefined
      const { contentType, blob } = found
      return { contentType, bytes: blob.size, stream: () => blob.stream() }
    },
  }
}

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
