import type { Voice } from '@svc-audio/core/pure'
import type { Snippet } from '../../code/snippet.ts'
import { coreTask, langchainTask } from './code/clients.ts'
import { curlTask } from './code/curl.ts'
import { expressTask } from './code/express.ts'
import { n8nTask } from './code/n8n.ts'
import { nestQueue } from './code/nest-queue.ts'
import { nestWebhook } from './code/nest-webhook.ts'
import { taskRequest } from './code/task-request.ts'
import type { TaskDraft } from './draft.ts'

/**
 * Code that creates the task of the form, learns of its end, and reads its result. With a webhook, the servers and n8n
 * receive it; otherwise they wait. LangChain has tools for transcriptions only, and a build waits for no task.
 */
export function tasksSnippets(
  draft: TaskDraft,
  voices: readonly Pick<Voice, 'id'>[],
  fileName = 'recording.wav',
): readonly Snippet[] {
  const task = taskRequest(draft, voices, fileName)
  return [
    coreTask(task),
    curlTask(task),
    expressTask(task),
    task.webhook ? nestWebhook(task) : nestQueue(task),
    ...(task.kind === 'transcription' ? [langchainTask(task)] : []),
    n8nTask(task),
  ]
}
