import { ResultUnavailableError } from '../errors/task-errors.ts'
import { isPrivateHost } from './private-host.ts'

/** A download before its request. */
interface DownloadCheck {
  /** Id of the task. */
  readonly id?: string
  /** Absolute. */
  readonly url?: string
  /** Address of the service. */
  readonly baseUrl?: string
}

/**
 * Refuses a URL that a public service chose on a private network: it must not make this machine fetch it.
 * @throws ResultUnavailableError
 */
export function checkDownload({ id, url = '', baseUrl = '' }: DownloadCheck): void {
  if (!isPrivateHost(new URL(url).hostname) || isPrivateHost(new URL(baseUrl).hostname)) return
  throw new ResultUnavailableError('There is nothing to download: the result names no URL that may be fetched', {
    taskId: id,
  })
}
