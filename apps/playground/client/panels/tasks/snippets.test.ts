import { describe, expect, test } from 'vitest'
import type { Snippet, SnippetKind } from '../../code/snippet.ts'
import { FIRST_DRAFT, TASK_KINDS, type TaskDraft } from './draft.ts'
import { tasksSnippets } from './snippets.ts'

const VOICES = [{ id: 'rms' }, { id: 'slt' }]

function pick(kind: SnippetKind, change: Partial<TaskDraft>, file?: string): Snippet {
  const found = tasksSnippets({ ...FIRST_DRAFT, voice: 'rms', ...change }, VOICES, file).find(
    (one) => one.kind === kind,
  )
  if (found === undefined) throw new Error(`There is no ${kind} code`)
  return found
}

interface Workflow {
  readonly nodes: readonly {
    readonly name: string
    readonly type: string
    readonly parameters: Readonly<Record<string, unknown>>
    readonly webhookId?: string
  }[]
  readonly connections: Readonly<Record<string, { main: { node: string }[][] }>>
}

const workflow = (change: Partial<TaskDraft>): Workflow => JSON.parse(pick('n8n', change).code) as Workflow
const arrows = ({ connections }: Workflow): (string | undefined)[][] =>
  Object.entries(connections).map(([from, { main }]) => [from, main[0]?.[0]?.node])

describe('Express', () => {
  test('starts speech and transcriptions by its middleware, and a dialogue by the client', () => {
    expect(pick('express', { kind: 'speech' }).code).toContain("app.post('/speech', express.json(), speaking)")
    expect(pick('express', { kind: 'transcription' }).code).toContain("app.post('/transcriptions', transcribing)")
    const { code } = pick('express', { kind: 'dialogue', webhook: false })
    expect(code).toContain('client.dialogue.createTask(dialogue)')
    expect(code).toContain("    { id: 'guest', voice_id: 'slt' },")
    expect(code).toContain("app.get('/dialogue/:id', playResult({ client }))")
  })

  test.each(TASK_KINDS)('receives the callback of %s at a public address, in front of the routes', (kind) => {
    const { code, environment } = pick('express', { kind, webhook: true })
    expect(environment).toEqual(['export PUBLIC_URL=https://app.example.com'])
    expect(code).toContain('url: `${process.env.PUBLIC_URL}/hooks/audio`')
    expect(code).toMatch(/webhook_url: (?:await webhookUrl\(\)|webhookUrl,)/)
    expect(code.indexOf("app.use('/hooks/audio', audioWebhooks({ receiver }))")).toBeLessThan(code.indexOf('app.post('))
  })

  test.each(TASK_KINDS)('without a webhook, %s has neither a receiver nor its environment', (kind) => {
    const { code, environment } = pick('express', { kind, webhook: false })
    expect(code).not.toMatch(/webhook/i)
    expect(environment).toEqual([])
  })
})

describe('NestJS', () => {
  test.each(TASK_KINDS)('with a webhook, a handler gets the finished task of %s', (kind) => {
    const { code, install } = pick('nestjs', { kind, webhook: true })
    expect(code).toMatch(/@OnAudioTask\(\)\n {2}finished\(\{ id, status \}: Task\)/)
    expect(code).toContain('webhook_url: url })\n    bind(task.id)')
    expect(install).not.toContain('bullmq')
  })

  test.each(TASK_KINDS)('without a webhook, a worker waits for %s, and a stopped worker pays once', (kind) => {
    const { code, install, environment } = pick('nestjs', { kind, webhook: false })
    expect(code).toContain('class AudioProcessor extends WorkerHost')
    expect(code).toContain('const idempotencyKey = `audio-${job.timestamp}-${job.id}`')
    expect(code).toContain('await job.updateData({ ...job.data, taskId: id })')
    expect(install).toMatch(/@nestjs\/bullmq bullmq ioredis$/)
    expect(environment).toEqual(['export REDIS_URL=redis://127.0.0.1:6379'])
  })

  test('stores an upload first: a job holds its id only', () => {
    for (const webhook of [true, false]) {
      const { code, call } = pick('nestjs', { kind: 'transcription', webhook }, 'part 1, a.wav')
      expect(code).toContain('@UseInterceptors(Store)')
      expect(code).toContain('client.files.create({ file, purpose: ')
      expect(call).toBe(`curl --form 'file=@"part 1, a.wav"' localhost:3000/transcriptions`)
    }
  })
})

describe('n8n', () => {
  test('without a webhook waits in the node', () => {
    const flow = workflow({ kind: 'speech', webhook: false })
    expect(arrows(flow)).toEqual([
      ['Start', 'Start task'],
      ['Start task', 'Result'],
    ])
    expect(flow.nodes[1]?.parameters['webhookUrl']).toBe('')
    expect(flow.nodes[2]?.parameters['taskId']).toBe('={{ $json.taskId }}')
  })

  test('with a webhook sleeps until the service calls, and a trigger starts with other tasks', () => {
    const flow = workflow({ kind: 'dialogue', webhook: true })
    expect(arrows(flow)).toEqual([
      ['Start', 'Start task'],
      ['Start task', 'Sleep'],
      ['Sleep', 'Result'],
      ['On finished task', 'Result of another task'],
    ])
    const [, start, sleep, result, trigger, other] = flow.nodes
    expect(start?.parameters['webhookUrl']).toBe('={{ $execution.resumeUrl }}')
    expect(sleep?.parameters).toEqual({ resume: 'webhook', httpMethod: 'POST', options: {} })
    expect(result?.parameters['taskId']).toBe("={{ $('Start task').item.json.taskId }}")
    expect(trigger?.type).toBe('n8n-nodes-svc-audio.svcAudioTrigger')
    expect(other?.parameters['taskId']).toBe('={{ $json.id }}')
    expect(sleep?.webhookId).not.toBe(trigger?.webhookId)
    expect(pick('n8n', { kind: 'dialogue', webhook: true }).steps?.at(-1)).toContain('Webhook URL of the trigger')
  })

  test('reads the recording first', () => {
    const { nodes } = JSON.parse(pick('n8n', { kind: 'transcription', webhook: false }, '=talk.wav').code) as Workflow
    expect(nodes.map(({ name }) => name)).toEqual(['Start', 'Read the file', 'Start task', 'Result'])
    expect(nodes[1]?.parameters['fileSelector']).toBe('={{ "=talk.wav" }}')
  })
})

test('LangChain transcribes the named file, and has nothing for speech', () => {
  const { code } = pick('langchain', { kind: 'transcription' }, "it's.wav")
  expect(code).toContain(String.raw`args: { audio: './it\'s.wav' },`)
  expect(() => pick('langchain', { kind: 'speech' })).toThrow('no langchain code')
})
