import {
  byId,
  dialogueParameters,
  type N8nNode,
  n8nSnippet,
  n8nText,
  readFileNode,
  svcAudioNode,
} from '../../../code/n8n-workflow.ts'
import type { Snippet } from '../../../code/snippet.ts'
import { DIALOGUE, type TaskRequest } from '../draft.ts'

/** Parts of the addresses that n8n gives to its nodes. Another import of the workflow gets its own. */
const RESUME_ID = '7d0c6a52-3b1e-4f7a-9f0a-5e6c1b2d8a01'
const TRIGGER_ID = '7d0c6a52-3b1e-4f7a-9f0a-5e6c1b2d8a02'

/**
 * A workflow that starts the task and outputs its result. With a webhook, n8n sleeps until the service calls, and a second
 * row starts with the tasks of other programs.
 */
export function n8nTask(task: TaskRequest): Snippet {
  const read = task.kind === 'transcription' ? [readFileNode(task.fileName)] : []
  const start = svcAudioNode('Start task', startParameters(task))
  if (!task.webhook) return n8nSnippet('Task', [...read, start, resultNode('Result', '={{ $json.taskId }}')])
  const snippet = n8nSnippet(
    'Task',
    [...read, start, WAIT, resultNode('Result', "={{ $('Start task').item.json.taskId }}")],
    [TRIGGER, resultNode('Result of another task', '={{ $json.id }}')],
  )
  const steps = [
    ...(snippet.steps ?? []),
    'For tasks of other programs, activate the workflow, and send them the Webhook URL of the trigger.',
  ]
  return { ...snippet, steps }
}

const WAIT: N8nNode = {
  name: 'Sleep',
  type: 'n8n-nodes-base.wait',
  version: 1.1,
  parameters: { resume: 'webhook', httpMethod: 'POST', options: {} },
  webhookId: RESUME_ID,
}

const TRIGGER: N8nNode = {
  name: 'On finished task',
  type: 'n8n-nodes-svc-audio.svcAudioTrigger',
  version: 1,
  parameters: { source: 'webhook', statuses: ['SUCCESS'] },
  webhookId: TRIGGER_ID,
}

function resultNode(name: string, taskId: string): N8nNode {
  return svcAudioNode(name, { resource: 'task', operation: 'wait', taskId, download: true, binaryPropertyName: 'data' })
}

function startParameters({ kind, text, voice, speakers, format, webhook }: TaskRequest): object {
  const common = { operation: 'startTask', webhookUrl: webhook ? '={{ $execution.resumeUrl }}' : '' }
  if (kind === 'transcription') {
    return {
      resource: kind,
      source: 'binary',
      binaryPropertyName: 'data',
      model: byId('svc-transcribe-1.0'),
      ...common,
    }
  }
  const audio = { ...common, responseFormat: format }
  if (kind === 'dialogue') return { ...dialogueParameters(speakers, DIALOGUE), ...audio }
  return { resource: kind, text: n8nText(text), voice: byId(voice), model: byId('svc-tts-1.5-flash'), ...audio }
}
