import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import type { INode } from 'n8n-workflow'
import { callWebhook, type N8nRest, type Workflow } from './rest.ts'
import { serveText } from './local-server.ts'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'

/** What the runs need. */
export interface RunsOptions {
  readonly rest: N8nRest
  /** A client that does not go through n8n. */
  readonly direct: AudioClient
  /** Id of the credential that the nodes use. */
  readonly credential: string
  /** A folder that n8n may read and write. */
  readonly folder: string
}

const EXAMPLES = join(import.meta.dirname, '../examples')
const SENTENCES = ['There is fresh bread on the table.', 'The train to the coast leaves at seven.'] as const

/** Real n8n runs four of the example workflows, the trigger, and a task that resumes a Wait node. */
export async function checkRuns(options: RunsOptions): Promise<string[]> {
  return [
    await podcast(options),
    await meetingNotes(options),
    await voiceNote(options),
    await voiceAgent(options),
    await trigger(options),
    await waitResumes(options),
  ]
}

/** An example, with some nodes replaced by their name. */
async function example({ credential }: RunsOptions, name: string, replaced: Record<string, INode>): Promise<Workflow> {
  const workflow = JSON.parse(await readFile(join(EXAMPLES, `${name}.json`), 'utf8')) as Workflow
  const credentials = { svcAudioApi: { id: credential, name: 'Svc Audio API' } }
  const nodes = workflow.nodes.map((one) => replaced[one.name ?? ''] ?? { ...one, credentials })
  return { ...workflow, nodes }
}

async function podcast(options: RunsOptions): Promise<string> {
  const { rest, direct, folder } = options
  const item = (title: string): string =>
    `<item><title>${title.slice(0, -1)}</title><description>So it was.</description></item>`
  const feed = `<rss version="2.0"><channel><title>News</title>${SENTENCES.map(item).join('')}</channel></rss>`
  const server = await serveText((_body) => ({ type: 'application/rss+xml', body: feed }))
  try {
    const file = join(folder, 'podcast.mp3')
    const start = webhook('Start')
    const workflow = await example(options, 'podcast-from-articles', {
      Start: start,
      Articles: node('Articles', 'rssFeedRead', { url: server.url, options: {} }, { typeVersion: 1.2 }),
      Save: node('Save', 'readWriteFile', {
        operation: 'write',
        fileName: file,
        dataPropertyName: 'data',
        options: {},
      }),
    })
    await rest.addWorkflow(workflow, { publish: true })
    await callWebhook(rest, start, '')
    const segments = SENTENCES.map((title, index) => ({
      speaker: index === 0 ? 'Ann' : 'Ben',
      text: `${title.slice(0, -1)}. So it was.`,
    }))
    const speakers = [
      { id: 'Ann', voice_id: 'slt' },
      { id: 'Ben', voice_id: 'rms' },
    ]
    const body = { model: 'svc-ttsd-1.0', speakers, segments, response_format: 'mp3' }
    const sent = await direct.dialogue.create(body).then((audio) => audio.bytes())
    const written = await readFile(file)
    if (Buffer.compare(written, sent) !== 0) throw new Error('The podcast is not what the service sends')
    return `podcast: ${written.byteLength} bytes identical`
  } finally {
    await server.close()
  }
}

async function meetingNotes(options: RunsOptions): Promise<string> {
  const { rest, direct } = options
  const speakers = [
    { id: 'A', voice_id: 'slt' },
    { id: 'B', voice_id: 'rms' },
  ]
  const segments = SENTENCES.map((text, index) => ({ speaker: index === 0 ? 'A' : 'B', text }))
  const body = { model: 'svc-ttsd-1.0', speakers, segments, response_format: 'wav' }
  const wav = await direct.dialogue.create(body).then((audio) => audio.bytes())
  const start = webhook('Recording')
  const workflow = await example(options, 'meeting-notes', {
    Recording: start,
    'Create Document': node('Create Document', 'noOp', {}),
    'Write Notes': node('Write Notes', 'noOp', {}),
  })
  await rest.addWorkflow(workflow, { publish: true })
  const form = new FormData()
  form.set('Recording', new Blob([wav], { type: 'audio/wav' }), 'meeting.wav')
  const { text } = (await callWebhook(rest, start, form).then((response) => response.json())) as { text: string }
  if (!/^Ann: .*\n\nBen: /s.test(text)) throw new Error(`The notes do not name their speakers: ${text}`)
  return `meeting notes: ${rateOf(SENTENCES.join(' '), text.replaceAll(/(Ann|Ben): /g, ''), 0.3)}`
}

async function voiceNote(options: RunsOptions): Promise<string> {
  const { rest, direct } = options
  const [, text] = SENTENCES
  const body = { model: 'svc-tts-1.5-flash', input: text, voice_id: 'rms', response_format: 'wav' }
  const wav = await direct.speech.create(body).then((audio) => audio.bytes())
  const start = webhook('Voice Note', { responseData: 'firstEntryBinary', responseBinaryPropertyName: 'data' })
  const workflow = await example(options, 'voice-note-reply', {
    'Voice Note': start,
    'Get Recording': node('Get Recording', 'noOp', {}),
    Send: node('Send', 'noOp', {}),
  })
  await rest.addWorkflow(workflow, { publish: true })
  const form = new FormData()
  form.set('data', new Blob([wav], { type: 'audio/wav' }), 'note.wav')
  const reply = await callWebhook(rest, start, form).then((response) => response.bytes())
  if (Buffer.from(reply).toString('latin1', 0, 4) !== 'OggS') throw new Error('The reply is not Ogg Opus')
  const file = { data: reply, name: 'reply.ogg', type: 'audio/ogg' }
  const heard = await direct.transcriptions.create({ model: 'svc-transcribe-1.0', file })
  return `voice note: ${rateOf(`You said: ${text}`, heard.text, 0.3)}`
}

/** n8n's own agent, with a model that calls the tool once and then repeats what it answered. */
async function voiceAgent(options: RunsOptions): Promise<string> {
  const { rest, direct } = options
  const [text] = SENTENCES
  const model = await serveText((body) => {
    const { messages = [] } = JSON.parse(body || '{}') as { messages?: { role: string; content: unknown }[] }
    const answer = messages.findLast(({ role }) => role === 'tool')?.content
    const call = { name: 'Speak', arguments: JSON.stringify({ Text: text }) }
    const message =
      answer === undefined
        ? { role: 'assistant', content: null, tool_calls: [{ id: 'call-1', type: 'function', function: call }] }
        : { role: 'assistant', content: typeof answer === 'string' ? answer : JSON.stringify(answer) }
    const choices = [{ index: 0, finish_reason: answer === undefined ? 'tool_calls' : 'stop', message }]
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const completion = { id: 'c', object: 'chat.completion', created: 0, model: 'm', choices, usage }
    return { type: 'application/json', body: JSON.stringify(completion) }
  })
  try {
    const id = await rest.addCredential('Model', 'openAiApi', { apiKey: 'none', url: model.url })
    const start = webhook('Chat')
    const workflow = await example(options, 'voice-agent-tool', {
      Chat: start,
      Assistant: node(
        'Assistant',
        '@n8n/n8n-nodes-langchain.agent',
        { promptType: 'define', text: 'Say it aloud', options: {} },
        { typeVersion: 2.2 },
      ),
      'Chat Model': node(
        'Chat Model',
        '@n8n/n8n-nodes-langchain.lmChatOpenAi',
        { model: byId('m'), options: {} },
        { typeVersion: 1.2, credentials: { openAiApi: { id, name: 'Model' } } },
      ),
    })
    await rest.addWorkflow(workflow, { publish: true })
    const answer = await callWebhook(rest, start, '').then((response) => response.text())
    const [, url = ''] = /(http:[^"\\]+\/results\/[^"\\]+)/.exec(answer) ?? []
    if (!answer.includes('durationSeconds') || !answer.includes('expiresAt')) throw new Error(`The agent got ${answer}`)
    const wav = await fetch(url).then((response) => response.bytes())
    const heard = await direct.transcriptions.create({
      model: 'svc-transcribe-1.0',
      file: { data: wav, name: 'a.wav' },
    })
    return `agent tool: ${rateOf(text, heard.text, 0.15)}`
  } finally {
    await model.close()
  }
}

async function trigger({ rest, direct, credential }: RunsOptions): Promise<string> {
  const credentials = { svcAudioApi: { id: credential, name: 'Svc Audio API' } }
  const start = node('Trigger', `${SVC_AUDIO}Trigger`, {}, { credentials, webhookId: crypto.randomUUID() })
  const nodes = [start, node('End', 'noOp', {})]
  const id = await rest.addWorkflow({ name: 'Trigger', nodes, connections: chain('Trigger', 'End') }, { publish: true })
  const task = await direct.speech.createTask({
    model: 'svc-tts-1.5-flash',
    input: SENTENCES[0],
    voice_id: 'rms',
    webhook_url: `${rest.url}/webhook/${start.webhookId}/webhook`,
  })
  const run = await rest.finished(id)
  if (!(await rest.dataOf(run)).includes(task.id)) throw new Error('The trigger fired without its task')
  return 'trigger: fires on a finished task'
}

async function waitResumes({ rest, credential }: RunsOptions): Promise<string> {
  const credentials = { svcAudioApi: { id: credential, name: 'Svc Audio API' } }
  const speech = { resource: 'speech', operation: 'startTask', text: SENTENCES[0], voice: byId('rms') }
  const begin = webhook('Begin', { responseMode: 'onReceived' })
  const nodes = [
    begin,
    node('Start Task', SVC_AUDIO, { ...speech, webhookUrl: '={{ $execution.resumeUrl }}' }, { credentials }),
    node(
      'Wait',
      'wait',
      { resume: 'webhook', httpMethod: 'POST', options: {} },
      { typeVersion: 1.1, webhookId: crypto.randomUUID() },
    ),
    node('Get', SVC_AUDIO, { resource: 'task' }, { credentials }),
  ]
  const connections = chain('Begin', 'Start Task', 'Wait', 'Get')
  const id = await rest.addWorkflow({ name: 'Wait', nodes, connections }, { publish: true })
  await callWebhook(rest, begin, '')
  const data = await rest.dataOf(await rest.finished(id))
  if (!data.includes('speech.wav') && !data.includes('audio/wav'))
    throw new Error('The Wait node went on without its task')
  return 'Wait node: resumed by the task'
}

function rateOf(expected: string, heard: string, most: number): string {
  const rate = wordErrorRate(expected, heard)
  if (rate > most) throw new Error(`Heard "${heard}", a word error rate of ${rate}`)
  return `word error rate ${rate.toFixed(2)}`
}
