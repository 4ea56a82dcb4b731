import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAudioId } from '../store/audio-store.ts'
import { writeWhole } from '../store/write-whole.ts'
import type { PendingTranscript, StoredTranscript, TranscriptStore } from './transcript-store.ts'

/** Stores each transcript as a JSON file. @param folderOf The folder of a user. */
export function folderTranscripts(folderOf: (user: string | undefined) => string): TranscriptStore {
  return {
    async get(id, { user } = {}) {
      if (!isAudioId(id)) return undefined
      const text = await readFile(join(folderOf(user), `${id}.json`), 'utf8').catch(missing)
      if (text === undefined) return undefined
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `set` writes here
      return JSON.parse(text) as StoredTranscript | PendingTranscript
    },
    async set(id, transcript, { user, signal } = {}) {
      const folder = folderOf(user)
      await mkdir(folder, { recursive: true })
      const bytes = new TextEncoder().encode(JSON.stringify(transcript))
      await writeWhole(join(folder, `${id}.json`), single(bytes), signal)
    },
  }
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

function missing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
