import { fieldLines, type Snippet } from '../../../code/snippet.ts'
import { expressSnippet } from '../../../code/servers.ts'
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
