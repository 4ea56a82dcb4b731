import type { Voice } from '@svc-audio/core/pure'
import {
  byId,
  dialogueParameters,
  type N8nNode,
  n8nSnippet,
  n8nText,
  readFileNode,
  svcAudioNode,
} from '../../code/n8n-workflow.ts'
import { expressSnippet, NEST_STORE, nestSnippet } from '../../code/servers.ts'
import {
  block,
  Code,
  coreSnippet,
  curlCommand,
  curlJson,
  curlSnippet,
  langchainSnippet,
  literal,
  PATH_ARGUMENT,
  pathField,
  shellWord,
  type Snippet,
} from '../../code/snippet.ts'
import { DIALOGUE, type TaskDraft, taskRequest, type TaskRequest } from './draft.ts'

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
    file: 'task.mts',
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
// The text of audio that was transcribed before is known.
if (artifact.type === 'transcript') console.log(artifact.text)
else {
  console.log(\`Created \${artifact.taskId}\`)
  // A model asks again later. This program waits.
  await client.tasks.wait(artifact.taskId)
  console.log(await toolkit.getTranscription.invoke({ task_id: artifact.taskId }))
}`,
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

/** Address of the callbacks: the service calls it, so it is public. */
const HOOK_URL = '`${process.env.PUBLIC_URL}/hooks/audio`'

/** More of the environment for {@link HOOK_URL}. */
const HOOK_ENVIRONMENT: readonly string[] = ['export PUBLIC_URL=https://app.example.com']

/** A server that creates the task of a request, and answers with its result later. */
function expressTask(task: TaskRequest): Snippet {
  return expressSnippet({
    routes: `${task.webhook ? `${RECEIVER}\n` : ''}${creationOf(task)}\n${resultRoute(task)}`,
    call: task.call,
    environment: task.webhook ? HOOK_ENVIRONMENT : [],
  })
}

const RECEIVER = `
// The service calls the address of a task when the task has ended.
const receiver = createWebhookReceiver({
  client,
  secret: randomUUID() + randomUUID(),
  url: ${HOOK_URL},
  handlers: { '*': ({ id, status }) => console.log(\`Finished \${id}: \${status}\`) },
})
const webhookUrl = async () => (await receiver.createCallback()).url
app.use('/hooks/audio', audioWebhooks({ receiver }))
`

function creationOf({ kind, settings, webhook }: TaskRequest): string {
  if (kind === 'dialogue') {
    return `const dialogue = ${block(settings)}
app.post('/dialogue', async (_request, response) => {
  const task = await client.dialogue.createTask(${webhook ? '{ ...dialogue, webhook_url: await webhookUrl() }' : 'dialogue'})
  response.status(202).json(task.creation)
})`
  }
  const hook = webhook ? { webhook_url: new Code('webhookUrl') } : {}
  const options = block({ client: new Code('client'), ...settings, respond: 'task', ...hook })
  return kind === 'speech'
    ? `const speaking = speak(${options})
app.post('/speech', express.json(), speaking)`
    : `const transcribing = transcribeUpload(${options})
app.post('/transcriptions', transcribing)`
}

function resultRoute({ kind }: TaskRequest): string {
  if (kind !== 'transcription') return `app.get('/${kind}/:id', playResult({ client }))`
  return `app.get('/transcriptions/:id', async ({ params }, response) => {
  response.json(await client.tasks.retrieve(params.id))
})`
}

/** What a caller sends, by kind: as a parameter of the route, and as the field of the request. */
const SENT = {
  speech: { name: 'text', field: 'input', parameter: "@Body('text') text: string", store: '' },
  dialogue: undefined,
  transcription: {
    name: 'fileId',
    field: 'file_id',
    parameter: '@UploadResult() { id: fileId }: StoredFile',
    store: '\n  @UseInterceptors(Store)',
  },
} as const

/** The route of Nest that creates a task. @param code Its body. */
function nestRoute({ kind, resource }: TaskRequest, code: string): string {
  const { parameter = '', store = '' } = SENT[kind] ?? {}
  return `  @Post('${resource}')
  @HttpCode(202)${store}
  async create(${parameter}) {
${code}
  }`
}

/** A Nest app whose worker waits for the task. */
function nestQueue(task: TaskRequest): Snippet {
  const { kind, settings, resource, call } = task
  const sent = SENT[kind]
  const request = sent === undefined ? '' : `, ${sent.field}: job.data.${sent.name}`
  return nestSnippet({
    before: `const settings = ${block(settings)}

interface AudioJob {
${sent === undefined ? '' : `  readonly ${sent.name}: string\n`}  readonly taskId?: string
}

@Processor('audio', { concurrency: 20 })
class AudioProcessor extends WorkerHost {
  constructor(private readonly audio: AudioClient) {
    super()
  }

  async process(job: Job<AudioJob>) {
    const { id, status } = await this.audio.tasks.wait(await this.#taskOf(job))
    console.log(\`Finished \${id}: \${status}\`)
    return id
  }

  // A worker may stop at any time. The next run resumes the same task.
  async #taskOf(job: Job<AudioJob>) {
    if (job.data.taskId !== undefined) return job.data.taskId
    const idempotencyKey = \`audio-\${job.timestamp}-\${job.id}\`
    const { id } = await this.audio.${resource}.createTask({ ...settings${request} }, { idempotencyKey })
    await job.updateData({ ...job.data, taskId: id })
    return id
  }
}

const redis = BullModule.forRoot({ connection: { url: process.env.REDIS_URL } })
// A worker ends its waits at shutdown. The next attempt resumes them.
const queue = BullModule.registerQueue({ name: 'audio', defaultJobOptions: { attempts: 5 } })

${kind === 'transcription' ? NEST_STORE : ''}`,
    parameters: ["@InjectQueue('audio') private readonly queue: Queue"],
    modules: ['redis', 'queue'],
    providers: ['AudioProcessor'],
    routes: nestRoute(
      task,
      `    const { id } = await this.queue.add('create', {${sent === undefined ? '' : ` ${sent.name} `}})
    return { job: id }`,
    ),
    start: 'app.enableShutdownHooks()\n',
    packages: ['@nestjs/bullmq', 'bullmq', 'ioredis'],
    environment: ['export REDIS_URL=redis://127.0.0.1:6379'],
    call,
  })
}

/** A Nest app that creates the task, and receives its callback. */
function nestWebhook(task: TaskRequest): Snippet {
  const { kind, settings, resource, call } = task
  const sent = SENT[kind]
  const request = sent === undefined ? '' : `${sent.field}: ${sent.name}, `
  return nestSnippet({
    before: `const settings = ${block(settings)}
const hooks = AudioWebhooksModule.forRoot({
  url: ${HOOK_URL},
  secret: randomUUID() + randomUUID(),
})

@Injectable()
class FinishedTasks {
  @OnAudioTask()
  finished({ id, status }: Task) {
    console.log(\`Finished \${id}: \${status}\`)
  }
}

${kind === 'transcription' ? NEST_STORE : ''}`,
    parameters: ['private readonly audio: AudioClient', 'private readonly webhooks: AudioWebhooks'],
    modules: ['hooks'],
    providers: ['FinishedTasks'],
    routes: nestRoute(
      task,
      `    const { url, bind } = await this.webhooks.createCallback()
    const task = await this.audio.${resource}.createTask({ ...settings, ${request}webhook_url: url })
    bind(task.id)
    return task.creation`,
    ),
    call,
    environment: HOOK_ENVIRONMENT,
  })
}
