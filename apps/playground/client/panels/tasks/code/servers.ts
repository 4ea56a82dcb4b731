import { fieldLines, type Snippet } from '../../../code/snippet.ts'
import { expressSnippet, NEST_STORE, nestSnippet } from '../../../code/servers.ts'
import type { TaskRequest } from '../draft.ts'

/** Address of the callbacks: the service calls it, so it is public. */
export const HOOK_URL = '`${process.env.PUBLIC_URL}/hooks/audio`'

/** More of the environment for {@link HOOK_URL}. */
export const HOOK_ENVIRONMENT: readonly string[] = ['export PUBLIC_URL=https://app.example.com']

/** A server that creates the task of a request, and answers with its result later. */
export function expressTask(task: TaskRequest): Snippet {
  const { kind, webhook } = task
  const starting = { speech: 'speak', dialogue: undefined, transcription: 'transcribeUpload' }[kind]
  const adapter = [
    ...(starting === undefined ? [] : [starting]),
    ...(kind === 'transcription' ? [] : ['playResult']),
    ...(webhook ? ['audioWebhooks'] : []),
  ]
  const routes = [...(webhook ? [RECEIVER] : []), CREATION[kind](task), resultRoute(task)]
  return expressSnippet({
    adapter,
    imports: webhook
      ? ["import { randomUUID } from 'node:crypto'", "import { createWebhookReceiver } from '@svc-audio/core/webhooks'"]
      : [],
    routes: routes.join('\n'),
    call: task.call,
    environment: webhook ? HOOK_ENVIRONMENT : [],
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

const CREATION: Readonly<Record<TaskRequest['kind'], (task: TaskRequest) => string>> = {
  speech: (task) => `const speaking = speak({
  client,
${optionLines(task)}
})
app.post('/speech', express.json(), speaking)`,
  dialogue: ({ settings, webhook }) => `const dialogue = {
${fieldLines(settings)}
}
app.post('/dialogue', async (_request, response) => {
  const task = await client.dialogue.createTask(${webhook ? '{ ...dialogue, webhook_url: await webhookUrl() }' : 'dialogue'})
  response.status(202).json(task.creation)
})`,
  transcription: (task) => `const transcribing = transcribeUpload({
  client,
${optionLines(task)}
})
app.post('/transcriptions', transcribing)`,
}

function optionLines({ settings, webhook }: TaskRequest): string {
  return `${fieldLines({ ...settings, respond: 'task' })}${webhook ? '\n  webhook_url: webhookUrl,' : ''}`
}

function resultRoute({ kind }: TaskRequest): string {
  if (kind !== 'transcription') return `app.get('/${kind}/:id', playResult({ client }))`
  return `app.get('/transcriptions/:id', async ({ params }, response) => {
  response.json(await client.tasks.retrieve(params.id))
})`
}

/** What a job holds, by kind: the parameter of the route, and the field of the request. */
const JOBS = {
  speech: {
    field: 'text',
    parameter: "@Body('text') text: string",
    request: ', input: job.data.text',
    common: ['Body'],
  },
  dialogue: { field: undefined, parameter: '', request: '', common: [] },
  transcription: {
    field: 'fileId',
    parameter: '@UploadResult() { id: fileId }: StoredFile',
    request: ', file_id: job.data.fileId',
    common: ['UseInterceptors'],
  },
} as const

/** A Nest app whose worker waits for the task. */
export function nestQueue({ kind, settings, resource, call }: TaskRequest): Snippet {
  const { field, parameter, request, common } = JOBS[kind]
  const uploads = kind === 'transcription'
  return nestSnippet({
    adapter: uploads ? NEST_STORE.adapter : [],
    common: ['HttpCode', 'Post', ...common],
    types: uploads ? NEST_STORE.types : [],
    imports: [
      "import { BullModule, InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq'",
      "import type { Job, Queue } from 'bullmq'",
    ],
    before: `const settings = {
${fieldLines(settings)}
}

interface AudioJob {
${field === undefined ? '' : `  readonly ${field}: string\n`}  readonly taskId?: string
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

${uploads ? NEST_STORE.code : ''}`,
    parameters: ["@InjectQueue('audio') private readonly queue: Queue"],
    modules: ['redis', 'queue'],
    providers: ['AudioProcessor'],
    routes: `  @Post('${resource}')
  @HttpCode(202)${uploads ? '\n  @UseInterceptors(Store)' : ''}
  async create(${parameter}) {
    const { id } = await this.queue.add('create', {${field === undefined ? '' : ` ${field} `}})
    return { job: id }
  }`,
    start: 'app.enableShutdownHooks()\n',
    packages: ['@nestjs/bullmq', 'bullmq'],
    environment: ['export REDIS_URL=redis://127.0.0.1:6379'],
    call,
  })
}

/** A Nest app that creates the task, and receives its callback. */
export function nestWebhook({ kind, settings, resource, call }: TaskRequest): Snippet {
  const uploads = kind === 'transcription'
  return nestSnippet({
    adapter: ['AudioWebhookModule', 'AudioWebhooks', 'OnAudioTask', ...(uploads ? NEST_STORE.adapter : [])],
    common: ['HttpCode', 'Injectable', 'Post', ...parameterOf(kind).common],
    types: [...(uploads ? NEST_STORE.types : []), 'Task'],
    imports: ["import { randomUUID } from 'node:crypto'"],
    before: `const settings = {
${fieldLines(settings)}
}
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

${uploads ? NEST_STORE.code : ''}`,
    parameters: ['private readonly audio: AudioClient', 'private readonly webhooks: AudioWebhooks'],
    modules: ['hooks'],
    providers: ['FinishedTasks'],
    routes: `  @Post('${resource}')
  @HttpCode(202)${uploads ? '\n  @UseInterceptors(Store)' : ''}
  async create(${parameterOf(kind).code}) {
    const { url, bind } = await this.webhooks.createCallback()
    const task = await this.audio.${resource}.createTask({ ...settings, ${parameterOf(kind).field}webhook_url: url })
    bind(task.id)
    return task.creation
  }`,
    call,
    environment: HOOK_ENVIRONMENT,
  })
}

function parameterOf(kind: TaskRequest['kind']): { common: readonly string[]; code: string; field: string } {
  if (kind === 'speech') return { common: ['Body'], code: "@Body('text') input: string", field: 'input, ' }
  if (kind === 'dialogue') return { common: [], code: '', field: '' }
  return { common: ['UseInterceptors'], code: '@UploadResult() { id: file_id }: StoredFile', field: 'file_id, ' }
}
