import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, lstat, mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text } from '@svc-audio/options'
import { checkOption } from '../options/checks.ts'
import { folderTranscripts } from '../transcripts/folder-transcripts.ts'
import type { TranscriptStore } from '../transcripts/transcript-store.ts'
import { readAudio } from './audio-input.ts'
import type { AudioStore } from './audio-store.ts'
import { typeOf, typeOfExtension } from './audio-types.ts'
import { userKey } from './user-key.ts'
import { writeWhole } from './write-whole.ts'

/** The only names that are ever opened: none can lead out of the folder. */
const ID = /^audio_[0-9a-f]{32}\.([a-z0-9]{3,4})$/

/** An {@link AudioStore} in a folder. */
export interface FolderAudioStore extends AudioStore {
  readonly transcripts: TranscriptStore
  /**
   * Absolute path of stored audio, for the application. `undefined` when there is none with that id.
   * @param access With the same `user` that the audio was stored for.
   */
  pathOf(id: string, access?: { readonly user?: string | undefined }): Promise<string | undefined>
}

/**
 * Stores audio as files in a folder, which is created when needed. The id is the file's name: 128 random bits and an
 * extension for the type. A file appears only once it is complete and on disk. Each user has a folder below; transcripts
 * are in `transcripts` below that. Nothing is ever deleted: the application decides about that.
 *
 * @param folder Path; a relative one is resolved at once.
 * @throws ConfigurationError for an empty path
 */
export function folderAudioStore(folder: string): FolderAudioStore {
  checkOption('folder', text, folder)
  const root = resolve(folder)
  const folderOf = (user: string | undefined): string =>
    user === undefined ? root : join(root, `user_${userKey(user)}`)

  async function find(id: string, user: string | undefined): Promise<FoundFile | undefined> {
    const [, extension = ''] = ID.exec(id) ?? []
    const contentType = typeOfExtension(extension)
    if (contentType === undefined) return undefined
    const path = join(folderOf(user), id)
    // Not stat: a link was not put here by this store.
    const info = await lstat(path).catch(missing)
    return info?.isFile() === true ? { path, contentType, bytes: info.size, modified: info.mtimeMs } : undefined
  }

  return {
    transcripts: folderTranscripts((user) => join(folderOf(user), 'transcripts')),

    async ready({ user } = {}) {
      await mkdir(folderOf(user), { recursive: true })
      await access(folderOf(user), constants.W_OK | constants.X_OK)
    },

    async put(audio, { contentType: given, signal, user }) {
      signal?.throwIfAborted()
      const [extension, contentType] = typeOf(given)
      const id = `audio_${randomBytes(16).toString('hex')}.${extension}`
      await mkdir(folderOf(user), { recursive: true })
      const bytes = await writeWhole(join(folderOf(user), id), readAudio(audio), signal)
      return { id, contentType, bytes }
    },

    async open(id, { user } = {}) {
      const found = await find(id, user)
      if (found === undefined) return undefined
      const { path, contentType, bytes } = found
      return { contentType, bytes, stream: () => createReadStream(path) }
    },

    async list({ user, limit = 100, signal } = {}) {
      const names = (await readdir(folderOf(user)).catch(missing)) ?? []
      const found: (FoundFile & { readonly id: string })[] = []
      for (const id of names) {
        signal?.throwIfAborted()
        const file = await find(id, user)
        if (file !== undefined) found.push({ id, ...file })
      }
      const newest = found.toSorted((one, other) => other.modified - one.modified).slice(0, limit)
      return newest.map(({ id, contentType, bytes }) => ({ id, contentType, bytes }))
    },

    async pathOf(id, { user } = {}) {
      return (await find(id, user))?.path
    },
  }
}

interface FoundFile {
  readonly path: string
  readonly contentType: string
  readonly bytes: number
  readonly modified: number
}

function missing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
