import { ApiError, ConfigurationError } from '@svc-audio/core/pure'
import { verifyWebhook } from '@svc-audio/core/webhooks'
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow'
import { createAudioClient, readCredentials } from '../SvcAudio/client/audio-client.ts'
import { toList } from '../SvcAudio/form.ts'
import { outputJson } from '../SvcAudio/operations/item-files.ts'
import { isFinished, type Outcome, StartedTasks } from './tasks.ts'

/** Longest id that is asked for. */
const MAX_ID_LENGTH = 200
/**
 * Deadline for reading a task, retries included, in milliseconds. The self-hosted service waits 15 seconds for the
 * response to a callback.
 */
const READ_TIMEOUT = 8000

/** The response to a callback that starts the workflow. */
export const STARTED = 'The task has started the workflow'

/**
 * A callback of the service. Its task is read with the credential, and starts the workflow once if it has finished. A
 * status other than 2xx makes the service call again.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const { status, message, workflowData } = await outcomeOf(context)
  if (workflowData !== undefined) return { workflowData }
  context.getResponseObject().status(status).json({ message })
  return { noWebhookResponse: true }
}

async function outcomeOf(context: IWebhookFunctions): Promise<Outcome> {
  if (context.getNodeParameter('source') !== 'webhook') {
    return { status: 409, message: 'This trigger finds out by polling' }
  }
  const refusal = await refusalOf(context)
  if (refusal !== undefined) return refusal
  const id = taskIdOf(context.getBodyData())
  if (id === undefined) return { status: 400, message: 'The body must be a task: id is required' }
  // A test in the editor may be repeated with the same task.
  if (context.getMode() === 'manual') return readTask(context, id)
  return new StartedTasks(context).once(id, () => readTask(context, id))
}

/** The response to a callback that is not signed by the service; `undefined` if it is, or if nothing is signed. */
async function refusalOf(context: IWebhookFunctions): Promise<Outcome | undefined> {
  try {
    if (await isFromService(context)) return undefined
    return { status: 401, message: 'The signature does not match the Webhook Secret of the credentials' }
  } catch (error) {
    context.logger.error(`Svc Audio Trigger: ${reasonOf(error)}`)
    return { status: 503, message: 'The callback cannot be checked at the moment' }
  }
}

/** Reads the task that a callback names. */
async function readTask(context: IWebhookFunctions, id: string): Promise<Outcome> {
  try {
    const { audio } = await createAudioClient(context, { timeout: READ_TIMEOUT })
    const task = await audio.tasks.retrieve(id)
    if (!isFinished(task)) return { status: 503, message: 'The task has not finished' }
    const isWanted = toList(context.getNodeParameter('statuses'))?.includes(task.status) === true
    if (!isWanted) return { status: 200, message: 'Tasks with this status do not start the workflow' }
    return { status: 200, message: STARTED, workflowData: [[{ json: outputJson(task) }]] }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { status: 404, message: 'There is no such task' }
    // The response omits the reason: anyone can call a webhook.
    context.logger.error(`Svc Audio Trigger: the task ${id} could not be read: ${reasonOf(error)}`)
    return { status: 503, message: 'The task cannot be read at the moment' }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ConfigurationError) return `Check the credentials. ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

/**
 * The id of the task that a callback names. Nothing else of the callback is believed: anybody may send one.
 * @returns `undefined` when it names none
 */
function taskIdOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const ids: unknown[] = [Reflect.get(body, 'task_id'), Reflect.get(body, 'id')]
  return ids.find((id): id is string => typeof id === 'string' && id.trim() !== '' && id.length <= MAX_ID_LENGTH)
}

/**
 * Whether the service signed a callback with a Webhook Secret of the credentials. Without a secret in the credentials,
 * every callback counts as signed.
 * @throws ConfigurationError for a secret that is not Base64
 */
async function isFromService(context: IWebhookFunctions): Promise<boolean> {
  const { webhookSecret = '' } = await readCredentials(context)
  const secret = webhookSecret.split(/[\s,]+/).filter((one) => one !== '')
  if (secret.length === 0) return true
  const body = rawBody(context.getRequestObject())
  return body !== undefined && verifyWebhook({ headers: context.getHeaderData(), body, secret })
}

/** The exact bytes of a request. n8n keeps them beside the parsed body. */
function rawBody(request: object): Uint8Array | string | undefined {
  const body: unknown = Reflect.get(request, 'rawBody')
  return typeof body === 'string' || body instanceof Uint8Array ? body : undefined
}
