import { block, Code, type Snippet } from '../../../code/snippet.ts'
import { expressSnippet, NEST_STORE, nestSnippet } from '../../../code/servers.ts'
import type { TaskRequest } from '../draft.ts'

/** Address of the callbacks: the service calls it, so it is public. */
const HOOK_URL = '`${process.env.PUBLIC_URL}/hooks/audio`'

/** More of the environment for {@link HOOK_URL}. */
const HOOK_ENVIRONMENT: readonly string[] = ['export PUBLIC_URL=https://app.example.com']

/** A server that creates the task of a request, and answers with its result later. */
export function expressTask(task: TaskRequest): Snippet {
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
export function nestQueue(task: TaskRequest): Snippet {
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
    packages: ['@nestjs/bullmq', 'bullmq'],
    environment: ['export REDIS_URL=redis://127.0.0.1:6379'],
    call,
  })
}

/** A Nest app that creates the task, and receives its callback. */
export function nestWebhook(task: TaskRequest): Snippet {
  const { kind, settings, resource, call } = task
  const sent = SENT[kind]
  const request = sent === undefined ? '' : `${sent.field}: ${sent.name}, `
  return nestSnippet({
    before: `const settings = ${block(settings)}
const hooks = AudioWebhookModule.forRoot({
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
