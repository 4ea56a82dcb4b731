import type { Voice } from '@svc-audio/core/pure'
import { block, Code, literal, shellWord, type Snippet } from '../../code/snippet.ts'
import { expressTask, nestQueue, nestWebhook } from './code/servers.ts'
import { DIALOGUE, type TaskDraft, taskRequest, type TaskRequest } from './draft.ts'
import {
  coreSnippet,
  curlCommand,
  curlJson,
  curlSnippet,
  langchainSnippet,
  PATH_ARGUMENT,
  pathField,
} from '../../code/client-code.ts'
import {
  byId,
  dialogueParameters,
  type N8nNode,
  n8nSnippet,
  n8nText,
  readFileNode,
  svcAudioNode,
} from '../../code/n8n-workflow.ts'

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

/** A program that creates the task, follows it, and saves its result. */
function coreTask({ kind, resource, body, format, fileName }: TaskRequest): Snippet {
  const transcribes = kind === 'transcription'
  const fields = transcribes ? { ...body, file: new Code('path') } : body
  return coreSnippet({
    file: 'task.ts',
    args: transcribes ? shellWord(fileName) : '',
    before: transcribes ? PATH_ARGUMENT : '',
    code: `const task = await audio.${resource}.createTask(${block(fields)})
console.log(\`Created \${task.id}\`)

// Ctrl+C cancels the task. The wait then rejects.
process.once('SIGINT', () => void task.cancel())

const ended = await task.wait({ onUpdate: ({ status }) => console.log(status) })
${
  transcribes
    ? 'console.log(ended.text)'
    : `const result = await audio.download(ended)
await result.saveTo('task.${format}')`
}`,
  })
}

/** An agent's tools for long transcriptions. */
function langchainTask({ fileName }: TaskRequest): Snippet {
  return langchainSnippet({
    options: { voice_id: 'rms', allowedRoot: new Code('process.cwd()') },
    code: `const { artifact } = await toolkit.startTranscription.invoke({
  type: 'tool_call',
  id: '1',
  name: 'start_transcription',
  args: { audio: ${literal(`./${fileName}`)} },
})
const { taskId: task_id } = artifact
console.log(\`Created \${task_id}\`)

// A model asks again later. This program waits.
await client.tasks.wait(task_id)
console.log(await toolkit.getTranscription.invoke({ task_id }))`,
  })
}

const QUIET = '--silent --show-error'

/** A script that creates the task, asks for its state until it has ended, and saves its result. */
function curlTask(task: TaskRequest): Snippet {
  const transcribes = task.kind === 'transcription'
  return curlSnippet(
    'task.sh',
    `set -e
read_field() { sed -n "s/.*\\"$1\\" *: *\\"\\([^\\"]*\\)\\".*/\\1/p"; }

created=$(${creation(task)})
id=$(echo "$created" | read_field task_id)
echo "Created $id"

# Ctrl+C ends the script only. This cancels the task:
# curl --request DELETE "$SVC_AUDIO_BASE_URL/v1/audio/tasks/$id" --header "Authorization: Bearer $SVC_AUDIO_API_KEY"
while true; do
  task=$(${curlCommand('/v1/audio/tasks/$id', [QUIET]).replaceAll('\n', '\n  ')})
  status=$(echo "$task" | read_field status)
  echo "$status"
  case "$status" in SUCCESS) break ;; FAILED) echo "$task"; exit 1 ;; esac
  sleep 1
done
${
  transcribes
    ? 'echo "$task" | read_field text'
    : `curl ${QUIET} --fail-with-body --output task.${task.format} "$(echo "$task" | read_field url)"`
}
`,
    transcribes ? shellWord(task.fileName) : '',
  )
}

function creation({ kind, body }: TaskRequest): string {
  if (kind === 'transcription') {
    const form = ['--form model=svc-transcribe-1.0', '--form async=true', pathField('file')]
    return curlCommand('/v1/audio/transcriptions', [QUIET, ...form])
  }
  return curlJson(`/v1/audio/speech${kind === 'speech' ? '' : '/speakers'}`, { ...body, async: true }, [QUIET])
}

/** Parts of the addresses that n8n gives to its nodes. Another import of the workflow gets its own. */
const RESUME_ID = '7d0c6a52-3b1e-4f7a-9f0a-5e6c1b2d8a01'
const TRIGGER_ID = '7d0c6a52-3b1e-4f7a-9f0a-5e6c1b2d8a02'

/**
 * A workflow that starts the task and outputs its result. With a webhook, n8n sleeps until the service calls, and a second
 * row starts with the tasks of other programs.
 */
function n8nTask(task: TaskRequest): Snippet {
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
