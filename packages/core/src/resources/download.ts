import { httpUrl } from '../checks/index.ts'
import { ApiError, ResultUnavailableError } from '../errors.ts'
import type { AudioBody } from '../streaming/index.ts'
import { type Answer, Call, type CallOptions } from '../transport/index.ts'
import type { SpeechTask } from '../wire/index.ts'
import { type ClientContext, requestAudio } from './resource.ts'
import { retrieveTask } from './task-handle.ts'

/** A result or a task that names the URL of its audio. */
export interface Downloadable {
  /** Id of the task or result. */
  readonly id?: string
  /** State of the task or result. */
  readonly status?: string
  /** Address of the audio. It may expire. */
  readonly url?: string
}

/** Statuses for a URL that has expired, or whose signing key is no longer valid. */
const EXPIRED: ReadonlySet<number> = new Set([401, 403, 404, 410])

/** Maximum redirects to follow, e.g. from the service to its storage. */
const MAX_REDIRECTS = 5

/** Downloads the audio of a result. See `PureAudioClient.download`. */
export function download(context: ClientContext, result: Downloadable, options?: CallOptions): Call<AudioBody> {
  return new Call(async () => {
    try {
      return await fetchAudio(context, result, options)
    } catch (error) {
      if (!(error instanceof ApiError) || !EXPIRED.has(error.status)) throw error
      return fetchAudio(context, await renew(context, result, error, options), options)
    }
  })
}

/** Reads the task of a result whose URL has expired. */
async function renew(
  { api }: ClientContext,
  { id, url }: Downloadable,
  cause: ApiError,
  options?: CallOptions,
): Promise<Downloadable> {
  const unavailable = new ResultUnavailableError('The URL of the result has expired', { cause, taskId: id })
  if (id === undefined) throw unavailable
  const task = await retrieveTask<SpeechTask>(api, id, options)
  if (task.url === url) throw unavailable
  return task
}

async function fetchAudio(
  context: ClientContext,
  result: Downloadable,
  options?: CallOptions,
): Promise<Answer<AudioBody>> {
  const path = resultUrl(result, context)
  return requestAudio(context, { operation: 'download', path, redirects: MAX_REDIRECTS }, options)
}

function resultUrl({ id, status = 'SUCCESS', url }: Downloadable, { api, check }: ClientContext): string {
  const href = httpUrl(url, api.baseUrl)?.href
  if (href === undefined || status !== 'SUCCESS') {
    const why = status === 'SUCCESS' ? 'the result names no URL' : `the task is ${status}`
    throw new ResultUnavailableError(`There is nothing to download: ${why}`, { taskId: id })
  }
  check('download', { id, url: href, baseUrl: api.baseUrl }, 'answer')
  return href
}
