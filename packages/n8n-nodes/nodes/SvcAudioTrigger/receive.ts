import { ApiError } from '@svc-audio/core/pure'
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow'
import { createAudioClient } from '../SvcAudio/client/audio-client.ts'
import { toList } from '../SvcAudio/form/coerce.ts'
import { isFinished, SeenTasks, taskIdOf, taskJson } from './finished-task.ts'

/** Milliseconds for reading a task: the service waits for the answer to its callback. */
const READ_TIMEOUT = 15_000

/**
 * A callback of the service. Its task is read with the credential, and starts the workflow once if it has finished. A
 * status other than 2xx makes the service call again.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const answer = (status: number, message: string): IWebhookResponseData => {
    context.getResponseObject().status(status).json({ message })
    return { noWebhookResponse: true }
  }
  if (context.getNodeParameter('source') !== 'webhook') return answer(409, 'This trigger finds out by polling')
  const id = taskIdOf(context.getBodyData())
  if (id === undefined) return answer(400, 'The body must be a task: id is required')
  const seen = new SeenTasks(context.getWorkflowStaticData('node'))
  if (seen.has(id)) return answer(200, 'This task has started the workflow before')
  try {
    const { audio } = await createAudioClient(context, { timeout: READ_TIMEOUT })
    const task = await audio.tasks.retrieve(id)
    if (!isFinished(task)) return answer(503, 'The task has not finished')
    const isWanted = toList(context.getNodeParameter('statuses'))?.includes(task.status) === true
    if (!isWanted) return answer(200, 'Tasks with this status do not start the workflow')
    // A test in the editor may be repeated with the same task.
    if (context.getMode() !== 'manual') seen.add(id)
    return { workflowData: [[{ json: taskJson(task) }]] }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return answer(404, 'There is no such task')
    // The answer omits the reason: anyone can call a webhook.
    context.logger.error(`Svc Audio Trigger: the task could not be read: ${String(error)}`)
    return answer(503, 'The task cannot be read at the moment')
  }
}
