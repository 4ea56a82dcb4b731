import { fieldLines } from '../../../code/literal.ts'
import { NEST_STORE, nestSnippet } from '../../../code/servers.ts'
import type { Snippet } from '../../../code/snippet.ts'
import { HOOK_ENVIRONMENT, HOOK_URL } from './express.ts'
import type { TaskRequest } from './task-request.ts'

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
