import { type PureAudioClient, SvcAudioError } from '@svc-audio/core'
import { checkOption, toolClient } from '../options/resolve-options.ts'
import { type AudioStore, readAudio, typeOf, userKey } from './audio-store.ts'

/**
 * Stores audio as files of the audio service (interface: `/v1/files`): the id is the `file_id`, so several processes and
 * machines share it, and a transcription uploads nothing. The interface has no way to read a file back, so this store
 * suits agents that listen. The file's `purpose` keeps users apart.
 *
 * @param client Of the tenant that owns the files.
 * @throws ConfigurationError unless it is a client
 */
export function serviceAudioStore(client: PureAudioClient): AudioStore {
  checkOption('client', toolClient, client)
  return {
    async put(audio, { contentType: given, signal, user }) {
      const [extension, contentType] = typeOf(given)
      const file = { data: () => readAudio(audio), name: `audio.${extension}`, type: contentType }
      const stored = await client.files.create({ file, purpose: purposeOf(user) }, { signal })
      return { id: stored.id, contentType, bytes: stored.bytes }
    },

    async open(id, { signal, user } = {}) {
      try {
        const file = await client.files.retrieve(id, { signal })
        return file.purpose === purposeOf(user) ? { file_id: file.id } : undefined
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw error
      }
    },
  }
}

/** The marker of the user of a file. */
function purposeOf(user: string | undefined): string {
  return user === undefined ? 'audio' : `audio-${userKey(user)}`
}

/** By name: a second copy of core has other classes. */
function isNotFound(error: unknown): boolean {
  return SvcAudioError.isInstance(error) && error.name === 'ApiError' && Reflect.get(error, 'status') === 404
}
