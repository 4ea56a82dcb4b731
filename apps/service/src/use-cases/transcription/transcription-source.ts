import { ServiceError } from '../../domain/service-error.ts'
import { UndecodableAudioError } from '@svc-audio/engine-ports'
import type { Services } from '../../services.ts'
import { withStoredFile } from '../files/files.ts'
import type { WorkOptions } from '../speech/speak.ts'
import type { NamedSource } from './transcription-rules.ts'

/**
 * Provides a named source as a file on this machine while `use` runs.
 * @throws ServiceError 404 `file_not_found`, also for a file that is deleted in the meantime; errors of
 * `AudioFetcher.fetch`; 415 `undecodable_audio` with the field; what `use` throws
 */
export async function withSource<T>(
  services: Services,
  source: NamedSource,
  options: WorkOptions,
  use: (path: string) => Promise<T>,
): Promise<T> {
  try {
    if (source.kind === 'file') return await withStoredFile(services, { ...options, id: source.id }, use)
    return await withFetched(services, source, options, use)
  } catch (error) {
    if (!(error instanceof UndecodableAudioError)) throw error
    const param = source.kind === 'file' ? 'file_id' : source.param
    throw new ServiceError(415, 'undecodable_audio', error.message, { param, cause: error })
  }
}

async function withFetched<T>(
  { fetcher, scratch, semaphores }: Services,
  { url, param }: NamedSource & { readonly kind: 'url' },
  { tenant, signal }: WorkOptions,
  use: (path: string) => Promise<T>,
): Promise<T> {
  return scratch.withPath(async (path) => {
    await semaphores.fetching.use(tenant, signal, () => fetcher.fetch({ url, param, path }, signal))
    return use(path)
  })
}
