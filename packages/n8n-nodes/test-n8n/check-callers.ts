import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { AudioClient } from '@svc-audio/core'
import type { INode, INodeParameters } from 'n8n-workflow'
import { serveText } from './local-server.ts'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'
import { callWebhook, isBusy, type N8nRest } from './rest.ts'

const TEXT = 'There is fresh bread on the table.'
const HEARD = /fresh bread/i

/** Larger than what the node takes for short, in bytes. */
const LONG_BYTES = 20.5 * 1024 * 1024

/** How long a caller may wait, in milliseconds. */
const TIMEOUT = 300_000

/** How the node is told about long work. The recording has more than 20 MB in each. */
const WAYS: Readonly<Record<string, INodeParameters>> = {
  'without options': {},
  Always: { runAsTask: 'always' },
  Never: { runAsTask: 'never' },
}

/** Callers at once: the runs without a caller wait for minutes. */
const AT_ONCE = 4

/** What the check needs. */
export interface CallersOptions {
  readonly rest: N8nRest
  /** A client of the service that does not go through n8n. */
  readonly direct: AudioClient
  /** Id of the credential that the nodes use. */
  readonly credential: string
}

/** A recording, where n8n gets it, and the node that transcribes it. */
interface Recording {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The node, for a recording in the item or one that the service stores. */
  transcribe(source: 'binary' | 'fileId', options: INodeParameters): INode
}

type Ask = (options: CallersOptions, recording: Recording, way: INodeParameters) => Promise<string>

/** What can start a run and wait for its output. Each returns what the caller gets. */
const CALLERS: Readonly<Record<string, Ask>> = {
  webhook: (options, recording, way) => askWebhook(options, recording.transcribe('binary', way), recording),
  'webhook with a response node': respondingWebhook,
  'sub-workflow': subWorkflow,
  'workflow tool of an agent': workflowTool,
  chat,
  form,
  'webhook that responds at once': atOnce,
  'error workflow': errorWorkflow,
}

/** Each caller gets the transcript of a recording over 20 MB, whatever the node is told about long work. */
export async function checkCallers(options: CallersOptions): Promise<string[]> {
  const recording = await recordingOf(options)
  const waiting = Object.entries(CALLERS)
  const lines: string[] = []
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, ask] = next
      const seconds: string[] = []
      for (const [way, parameters] of Object.entries(WAYS)) {
        const begin = performance.now()
        const found = await ask(options, recording, parameters)
        if (!HEARD.test(found)) throw new Error(`${name}, ${way}: the caller gets ${found.slice(0, 1000)}`)
        seconds.push(`${way} ${((performance.now() - begin) / 1000).toFixed(0)} s`)
      }
      lines.push(`callers: ${name}: the transcript, ${seconds.join(', ')}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return lines
}

async function recordingOf({ direct, credential }: CallersOptions): Promise<Recording> {
  const body = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms', response_format: 'wav' }
  const bytes = enlarged(Buffer.from(await direct.speech.create(body).then((audio) => audio.bytes())))
  const { id } = await direct.files.create({ file: { data: bytes, name: 'long.wav' } })
  const credentials = { svcAudioApi: { id: credential, name: 'Svc Audio API' } }
  return {
    bytes,
    transcribe(source, options) {
      const from = source === 'binary' ? {} : { fileId: byId(id) }
      const parameters = { resource: 'transcription', responseFormat: 'text', source, ...from, options }
      return node('Transcribe', SVC_AUDIO, parameters, { credentials })
    },
  }
}

/** A WAV file of the same sound with many more bytes: samples of 32 bits, two channels, and a high rate. */
function enlarged(wav: Buffer): Uint8Array<ArrayBuffer> {
  const rate = wav.readUInt32LE(24)
  const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + 44 + ((wav.length - 44) & ~1)))
  const times = Math.floor(192_000 / rate)
  const frames = Math.max(samples.length * times, Math.ceil(LONG_BYTES / 8))
  const out = Buffer.alloc(44 + frames * 8)
  wav.copy(out, 0, 0, 44)
  out.writeUInt32LE(out.length - 8, 4)
  out.writeUInt16LE(2, 22)
  out.writeUInt32LE(rate * times, 24)
  out.writeUInt32LE(rate * times * 8, 28)
  out.writeUInt16LE(8, 32)
  out.writeUInt16LE(32, 34)
  out.writeUInt32LE(frames * 8, 40)
  for (let frame = 0; frame < samples.length * times; frame += 1) {
    const sample = (samples[Math.floor(frame / times)] ?? 0) * 65_536
    out.writeInt32LE(sample, 44 + frame * 8)
    out.writeInt32LE(sample, 48 + frame * 8)
  }
  return new Uint8Array(out)
}

/** Publishes a workflow behind a webhook, and sends the recording to it. */
async function askWebhook({ rest }: CallersOptions, last: INode, recording: Recording): Promise<string> {
  const start = webhook('Recording')
  const workflow = { name: `Caller ${randomUUID()}`, nodes: [start, last], connections: chain('Recording', last.name) }
  await rest.addWorkflow(workflow, { publish: true })
  return callWebhook(rest, start, upload(recording)).then((response) => response.text())
}

function upload({ bytes }: Recording): FormData {
  const body = new FormData()
  body.set('data', new Blob([bytes], { type: 'audio/wav' }), 'long.wav')
  return body
}

async function respondingWebhook(
  { rest }: CallersOptions,
  recording: Recording,
  way: INodeParameters,
): Promise<string> {
  const start = webhook('Recording', { responseMode: 'responseNode' })
  const respond = node('Respond', 'respondToWebhook', { options: {} }, { typeVersion: 1.1 })
  const nodes = [start, recording.transcribe('binary', way), respond]
  const connections = chain('Recording', 'Transcribe', 'Respond')
  await rest.addWorkflow({ name: `Caller ${randomUUID()}`, nodes, connections }, { publish: true })
  return callWebhook(rest, start, upload(recording)).then((response) => response.text())
}

/** Publishes a workflow that others call. @returns Its id */
function calledWorkflow({ rest }: CallersOptions, last: INode): Promise<string> {
  const start = node('Called', 'executeWorkflowTrigger', { inputSource: 'passthrough' }, { typeVersion: 1.1 })
  const workflow = { name: `Called ${randomUUID()}`, nodes: [start, last], connections: chain('Called', last.name) }
  return rest.addWorkflow(workflow, { publish: true })
}

async function subWorkflow(options: CallersOptions, recording: Recording, way: INodeParameters): Promise<string> {
  const id = await calledWorkflow(options, recording.transcribe('binary', way))
  const parameters = { workflowId: byId(id), options: {} }
  return askWebhook(options, node('Call', 'executeWorkflow', parameters, { typeVersion: 1.2 }), recording)
}

async function workflowTool(options: CallersOptions, recording: Recording, way: INodeParameters): Promise<string> {
  const { rest } = options
  const id = await calledWorkflow(options, recording.transcribe('fileId', way))
  const model = await serveText((body) => ({ type: 'application/json', body: JSON.stringify(completion(body)) }))
  try {
    const account = await rest.addCredential('Model', 'openAiApi', { apiKey: 'none', url: model.url })
    const start = chatTrigger()
    const agent = node('Assistant', '@n8n/n8n-nodes-langchain.agent', { options: {} }, { typeVersion: 2.2 })
    const brain = node(
      'Chat Model',
      '@n8n/n8n-nodes-langchain.lmChatOpenAi',
      { model: byId('m'), options: {} },
      { typeVersion: 1.2, credentials: { openAiApi: { id: account, name: 'Model' } } },
    )
    const tool = node(
      'Listen',
      '@n8n/n8n-nodes-langchain.toolWorkflow',
      {
        description: 'Transcribes the recording',
        workflowId: byId(id),
        workflowInputs: { mappingMode: 'defineBelow' },
      },
      { typeVersion: 2.2 },
    )
    const connections = {
      ...chain('Chat', 'Assistant'),
      'Chat Model': { ai_languageModel: [[{ node: 'Assistant', type: 'ai_languageModel', index: 0 } as const]] },
      Listen: { ai_tool: [[{ node: 'Assistant', type: 'ai_tool', index: 0 } as const]] },
    }
    const nodes = [start, agent, brain, tool]
    await rest.addWorkflow({ name: `Caller ${randomUUID()}`, nodes, connections }, { publish: true })
    return await say(rest, start)
  } finally {
    await model.close()
  }
}

/** A model that calls the tool once, and then repeats what it answered. */
function completion(body: string): object {
  const { messages = [] } = JSON.parse(body || '{}') as { messages?: { role: string; content: unknown }[] }
  const answer = messages.findLast(({ role }) => role === 'tool')?.content
  const call = { name: 'Listen', arguments: '{}' }
  const message =
    answer === undefined
      ? { role: 'assistant', content: null, tool_calls: [{ id: 'call-1', type: 'function', function: call }] }
      : { role: 'assistant', content: typeof answer === 'string' ? answer : JSON.stringify(answer) }
  const choices = [{ index: 0, finish_reason: answer === undefined ? 'tool_calls' : 'stop', message }]
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  return { id: 'c', object: 'chat.completion', created: 0, model: 'm', choices, usage }
}

function chatTrigger(): INode {
  const parameters = { public: true, options: {} }
  const more = { typeVersion: 1.1, webhookId: randomUUID() }
  return node('Chat', '@n8n/n8n-nodes-langchain.chatTrigger', parameters, more)
}

async function chat({ rest }: CallersOptions, recording: Recording, way: INodeParameters): Promise<string> {
  const start = chatTrigger()
  const nodes = [start, recording.transcribe('fileId', way)]
  const workflow = { name: `Caller ${randomUUID()}`, nodes, connections: chain('Chat', 'Transcribe') }
  await rest.addWorkflow(workflow, { publish: true })
  return say(rest, start)
}

/** Writes into the chat of a published workflow. @returns What it answers */
function say(rest: N8nRest, { webhookId }: INode): Promise<string> {
  const body = JSON.stringify({ action: 'sendMessage', sessionId: randomUUID(), chatInput: 'What is said there?' })
  return answerOf(`${rest.url}/webhook/${webhookId}/chat`, { body, headers: { 'content-type': 'application/json' } })
}

/** Posts to an address that n8n registers a moment after a workflow was published. */
async function answerOf(url: string, request: RequestInit): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const response = await fetch(url, { ...request, method: 'POST' })
    if ((response.status !== 404 && !isBusy(response)) || tries > 60) return response.text()
    await delay(500)
  }
}

/** A form whose last page shows the transcript. */
async function form({ rest }: CallersOptions, recording: Recording, way: INodeParameters): Promise<string> {
  const fields = { values: [{ fieldLabel: 'Recording', fieldType: 'file', multipleFiles: false }] }
  const parameters = { formTitle: 'Recording', formFields: fields, options: {} }
  const start = node('Form', 'formTrigger', parameters, { typeVersion: 2.2, webhookId: randomUUID() })
  const completionText = { completionTitle: 'Transcript', completionMessage: '={{ $json.text }}', options: {} }
  const page = node(
    'Page',
    'form',
    { operation: 'completion', ...completionText },
    { typeVersion: 1, webhookId: randomUUID() },
  )
  const listen = recording.transcribe('binary', way)
  const nodes = [start, { ...listen, parameters: { ...listen.parameters, binaryPropertyName: 'Recording' } }, page]
  const connections = chain('Form', 'Transcribe', 'Page')
  await rest.addWorkflow({ name: `Caller ${randomUUID()}`, nodes, connections }, { publish: true })
  const body = new FormData()
  body.set('field-0', new Blob([recording.bytes], { type: 'audio/wav' }), 'long.wav')
  const url = `${rest.url}/form/${start.webhookId}`
  const { formWaitingUrl } = JSON.parse(await answerOf(url, { body })) as { formWaitingUrl: string }
  const status = statusOf(formWaitingUrl)
  for (const end = Date.now() + TIMEOUT; Date.now() < end; await delay(1000)) {
    const found = await fetch(status).then((response) => response.text())
    if (found === 'success' || found === 'form-waiting') break
    if (/error|crashed|null/.test(found)) throw new Error(`The form ends with ${found}`)
  }
  return fetch(formWaitingUrl).then((response) => response.text())
}

/** Where the page of a form asks for the status of the run. Newer releases sign the address. */
function statusOf(formWaitingUrl: string): URL {
  const url = new URL(formWaitingUrl)
  url.pathname += '/n8n-execution-status'
  return url
}

/** The run continues after the response: its end has the transcript. */
async function atOnce({ rest }: CallersOptions, recording: Recording, way: INodeParameters): Promise<string> {
  const start = webhook('Recording', { responseMode: 'onReceived' })
  const nodes = [start, recording.transcribe('binary', way), node('End', 'noOp', {})]
  const connections = chain('Recording', 'Transcribe', 'End')
  const id = await rest.addWorkflow({ name: `Caller ${randomUUID()}`, nodes, connections }, { publish: true })
  const { message } = (await callWebhook(rest, start, upload(recording)).then((response) => response.json())) as {
    message: string
  }
  if (message !== 'Workflow was started') throw new Error(`The webhook responds ${message}`)
  return outputOf(rest, id, 'webhook')
}

/** A workflow fails, and its error workflow transcribes a recording. */
async function errorWorkflow({ rest }: CallersOptions, recording: Recording, way: INodeParameters): Promise<string> {
  const nodes = [node('Error', 'errorTrigger', {}), recording.transcribe('fileId', way), node('End', 'noOp', {})]
  const connections = chain('Error', 'Transcribe', 'End')
  const errors = await rest.addWorkflow({ name: `Errors ${randomUUID()}`, nodes, connections }, { publish: true })
  const start = webhook('Begin', { responseMode: 'onReceived' })
  const stop = node('Stop', 'stopAndError', { errorMessage: 'It fails' })
  const failing = { name: `Fails ${randomUUID()}`, nodes: [start, stop], connections: chain('Begin', 'Stop') }
  await rest.addWorkflow({ ...failing, settings: { errorWorkflow: errors } }, { publish: true })
  await callWebhook(rest, start, '')
  return outputOf(rest, errors, 'error')
}

/** What a run of a workflow outputs once it has ended, waits of once per minute included. */
async function outputOf(rest: N8nRest, workflowId: string, mode: string): Promise<string> {
  const filter = encodeURIComponent(JSON.stringify({ workflowId }))
  for (const end = Date.now() + 2 * TIMEOUT; Date.now() < end; await delay(1000)) {
    const path = `/rest/executions?filter=${filter}&limit=20`
    const { results } = await rest.send<{ results: { id: string; status: string; mode: string }[] }>('GET', path)
    const run = results.find((one) => one.mode === mode)
    if (run !== undefined && !['new', 'running', 'waiting'].includes(run.status)) return rest.dataOf(run)
  }
  throw new Error('The run does not end')
}
