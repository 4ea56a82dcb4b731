import type { TaskCreation } from '@svc-audio/core/interface'
import { UndecodableAudioError } from '@svc-audio/engine-ports'
import { z } from 'zod'
import { newId } from '../../domain/ids.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { estimateTranscription } from '../../domain/task-kinds.ts'
import type { Services } from '../../services.ts'
import { requireFile, withStoredFile } from '../files.ts'
import { claimObject, isIn } from '../objects.ts'
import { acceptTask, type TaskTerms } from '../tasks/accept.ts'
import type { WorkOptions } from '../tasks/task.ts'

/** Options of the transcription itself. */
export interface TranscriptionWork {
  readonly diarize: boolean
  readonly keyterms: readonly string[]
}

/** A source that the request names instead of sending audio. Tasks store this form. */
export const NamedSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), id: z.string() }),
  z.object({ kind: z.literal('url'), url: z.string(), param: z.string() }),
])

/** A parsed {@link NamedSource}. */
export type NamedSource = z.infer<typeof NamedSource>

/** Returns the id of the uploaded file that a source names, if it names one. */
export function fileOf(source: 'upload' | NamedSource | undefined): string | undefined {
  return typeof source === 'object' && source.kind === 'file' ? source.id : undefined
}

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
  { runtime: { fetcher }, objects: { scratch }, engines: { semaphores } }: Services,
  { url, param }: NamedSource & { readonly kind: 'url' },
  { tenant, signal }: WorkOptions,
  use: (path: string) => Promise<T>,
): Promise<T> {
  return scratch.withPath(async (path) => {
    await semaphores.fetching.use(tenant, signal, () => fetcher.fetch({ url, param, path }, signal))
    return use(path)
  })
}

/**
 * Accepts the transcription of a file of this machine, and takes over the file. The object is durable before the
 * transaction: an accepted task always has its input.
 */
export async function acceptUpload(
  services: Services,
  { model, work, path }: { readonly model: string; readonly work: TranscriptionWork; readonly path: string },
  terms: TaskTerms,
): Promise<TaskCreation> {
  const { inputs } = services.objects
  const { tasks } = services.stores
  const input = newId('input')
  const { bytes } = await inputs.of(terms.tenant).putFile(input, path)
  const order = {
    kind: 'audio.transcription',
    model,
    request: { ...work },
    input,
    cost: estimateTranscription(bytes, work.diarize),
  } as const
  const { creation } = await claimObject(
    services,
    { objects: inputs, name: input, inUse: (name) => isIn(tasks.inputsInUse([name]), name) },
    async () => {
      const accepted = await acceptTask(services, order, terms)
      return { ...accepted, isUsed: accepted.isNew }
    },
  )
  return creation
}

/**
 * Accepts the transcription of a named source. The task fetches or opens the source when it runs.
 * @throws ServiceError 404 `file_not_found`
 */
export async function acceptNamedSource(
  services: Services,
  { model, work, source }: { readonly model: string; readonly work: TranscriptionWork; readonly source: NamedSource },
  terms: TaskTerms,
): Promise<TaskCreation> {
  const file = source.kind === 'file' ? await requireFile(services, terms.tenant, source.id) : undefined
  const request = { ...work, source }
  const cost = estimateTranscription(file?.bytes, work.diarize)
  return (await acceptTask(services, { kind: 'audio.transcription', model, request, cost }, terms)).creation
}
