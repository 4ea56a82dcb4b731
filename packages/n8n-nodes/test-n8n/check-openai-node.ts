import type { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import type { INode, INodeParameters } from 'n8n-workflow'
import { callWebhook, type N8nRest } from './rest.ts'
import { chain, node, webhook } from './nodes.ts'

const TEXT = 'The train to the coast leaves at seven in the morning.'
const CREDENTIAL = 'OpenAI'
const OPENAI = '@n8n/n8n-nodes-langchain.openAi'

/** What the check of the OpenAI node needs. */
export interface OpenaiNodeOptions {
  /** A client of the service that does not go through n8n. */
  readonly direct: AudioClient
  readonly key: string
}

/**
 * n8n's own OpenAI node against the OpenAI API of the service: the base URL of the credential is all that differs from
 * OpenAI.
 */
export async function checkOpenaiNode(rest: N8nRest, { direct, key }: OpenaiNodeOptions): Promise<string[]> {
  const url = `${direct.baseUrl}/openai/v1`
  const id = await rest.addCredential(CREDENTIAL, 'openAiApi', { apiKey: key, url })
  const typeVersion = await rest.newestVersion(OPENAI)
  const credentials = { openAiApi: { id, name: CREDENTIAL } }
  const openai = (name: string, parameters: INodeParameters): INode =>
    node(name, OPENAI, { resource: 'audio', ...parameters }, { typeVersion, credentials })
  return [
    await testsCredential(rest, { id, key, url }),
    await generates(rest, openai, { direct, key }),
    await transcribes(rest, openai, direct),
    await fails(rest, openai),
  ]
}

/** Makes a node of n8n's own for OpenAI. */
type OpenaiNode = (name: string, parameters: INodeParameters) => INode

async function testsCredential(
  rest: N8nRest,
  { id, key, url }: { readonly id: string; readonly key: string; readonly url: string },
): Promise<string> {
  for (const [apiKey, expected] of [
    [key, 'OK'],
    ['wrong-key', 'Error'],
  ] as const) {
    const credentials = { id, name: CREDENTIAL, type: 'openAiApi', data: { apiKey, url } }
    const { status } = await rest.send<{ status: string }>('POST', '/rest/credentials/test', { credentials })
    if (status !== expected) throw new Error(`n8n tests the OpenAI credential with ${apiKey}: ${status}`)
  }
  return 'OpenAI node: the test of the credential passes and fails as it should'
}

/** Each model of the node, and a format and a speed that are not the default. */
async function generates(rest: N8nRest, openai: OpenaiNode, { direct, key }: OpenaiNodeOptions): Promise<string> {
  const heard: string[] = []
  for (const [model, response_format, speed] of [
    ['tts-1', 'mp3', 1],
    ['tts-1-hd', 'flac', 1.2],
  ] as const) {
    const body = { model, input: TEXT, voice: 'echo', response_format, speed }
    const start = webhook('Text', { responseData: 'firstEntryBinary', responseBinaryPropertyName: 'said' })
    const options = { response_format, speed, binaryPropertyOutput: 'said' }
    const nodes = [start, openai('Generate', { operation: 'generate', model, input: TEXT, voice: 'echo', options })]
    await rest.addWorkflow(
      { name: `OpenAI ${model}`, nodes, connections: chain('Text', 'Generate') },
      { publish: true },
    )
    const stored = await callWebhook(rest, start, '').then((response) => response.bytes())
    const sent = await fetch(`${direct.baseUrl}/openai/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.bytes())
    if (Buffer.compare(stored, sent) !== 0)
      throw new Error(`n8n stores another ${response_format} than the service sends`)
    const file = { data: stored, name: `a.${response_format}` }
    const { text } = await direct.transcriptions.create({ model: 'svc-transcribe-1.0', file })
    heard.push(`${stored.byteLength} bytes of ${response_format} identical, ${rateOf(text)}`)
  }
  return `OpenAI node, generate audio: ${heard.join('; ')}`
}

async function transcribes(rest: N8nRest, openai: OpenaiNode, direct: AudioClient): Promise<string> {
  const start = webhook('Recording')
  const nodes = [
    start,
    openai('Transcribe', { operation: 'transcribe', options: { language: 'en', temperature: 0.2 } }),
  ]
  const workflow = { name: 'OpenAI transcribe', nodes, connections: chain('Recording', 'Transcribe') }
  await rest.addWorkflow(workflow, { publish: true })
  const body = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms', response_format: 'wav' }
  const wav = await direct.speech.create(body).then((audio) => audio.bytes())
  const form = new FormData()
  form.set('data', new Blob([wav], { type: 'audio/wav' }), 'recording.wav')
  const { text } = (await callWebhook(rest, start, form).then((response) => response.json())) as { text: string }
  return `OpenAI node, transcribe: ${rateOf(text)}`
}

/** What the service refuses ends the workflow with the message of the service. */
async function fails(rest: N8nRest, openai: OpenaiNode): Promise<string> {
  const voice = '={{ "nobody" }}'
  const start = webhook('Again', { responseMode: 'onReceived' })
  const nodes = [start, openai('Generate', { operation: 'generate', model: 'tts-1', input: TEXT, voice, options: {} })]
  const workflow = { name: 'OpenAI refused', nodes, connections: chain('Again', 'Generate') }
  const id = await rest.addWorkflow(workflow, { publish: true })
  await callWebhook(rest, start, '')
  const failure = await rest.finished(id).then(
    () => 'success',
    (error: unknown) => String(error),
  )
  if (!/voice .*nobody.* is unknown/.test(failure))
    throw new Error(`n8n does not show the error of the service: ${failure}`)
  return 'OpenAI node: a refused voice ends the workflow with the error of the service'
}

function rateOf(text: string): string {
  const rate = wordErrorRate(TEXT, text)
  if (rate > 0.15) throw new Error(`Heard "${text}", a word error rate of ${rate}`)
  return `word error rate ${rate.toFixed(2)}`
}
