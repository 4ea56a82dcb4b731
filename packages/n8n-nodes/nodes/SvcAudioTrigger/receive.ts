import { ApiError, ConfigurationError } from '@svc-audio/core/pure'
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow'
import { createAudioClient } from '../SvcAudio/client/audio-client.ts'
import { toList } from '../SvcAudio/form/coerce.ts'
import { isFinished, taskIdOf, taskJson } from './finished-task.ts'
import { isFromService } from './signature.ts'
import { type Outcome, StartedTasks } from './started-tasks.ts'

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
    return { status: 200, message: STARTED, workflowData: [[{ json: taskJson(task) }]] }
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
