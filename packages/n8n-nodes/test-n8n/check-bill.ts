import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioClient } from '@svc-audio/core'
import { WavMeter } from '@svc-audio/core/audio'
import type { INodeParameters } from 'n8n-workflow'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'
import { callWebhook, type N8nRest } from './rest.ts'

/** What is said in each of the five recordings, by two voices. */
const SENTENCES = [
  'There is fresh bread on the table.',
  'The train to the coast leaves at seven.',
  'My sister lives in a small house.',
  'The garden is behind the old school.',
  'We will meet again in the summer.',
] as const

/** What the check needs. */
export interface BillOptions {
  readonly rest: N8nRest
  /** A client of the service that does not go through n8n. */
  readonly direct: AudioClient
  /** Id of the credential that the nodes use. */
  readonly credential: string
  /** A folder that n8n may read and write. */
  readonly folder: string
}

/** What the work of nodes costs, as the service counts it. */
export async function checkBill(options: BillOptions): Promise<string[]> {
  return [await severalOutputs(options), await spokenAgain(options), await heardAgain(options)]
}

/** Five recordings are five SRT files, five Markdown files and five texts, by one node and one transcription each. */
async function severalOutputs({ rest, direct, credential, folder }: BillOptions): Promise<string> {
  const recordings = join(folder, 'meetings')
  await mkdir(recordings)
  let seconds = 0
  for (const [index, first] of SENTENCES.entries()) {
    const bytes = await dialogue(direct, first, SENTENCES[(index + 1) % SENTENCES.length] ?? '')
    const meter = new WavMeter()
    meter.add(bytes)
    seconds += meter.durationSeconds ?? 0
    await writeFile(join(recordings, `meeting${index + 1}.wav`), bytes)
  }
  const model = byId('svc-transcribe-diarize-pro')
  const listen = { resource: 'transcription', model, responseFormat: 'text', files: ['markdown', 'srt'] }
  const start = webhook('Begin', { responseData: 'allEntries' })
  const nodes = [
    start,
    node('Read', 'readWriteFile', { operation: 'read', fileSelector: `${recordings}/*`, options: {} }),
    node('Transcribe', SVC_AUDIO, listen, { credentials: { svcAudioApi: { id: credential, name: 'Svc Audio API' } } }),
    ...(['markdown', 'srt'] as const).map((field) =>
      node(`Save ${field}`, 'readWriteFile', {
        operation: 'write',
        fileName: `={{ "${folder}/" + $('Transcribe').item.json.files.${field}.fileName }}`,
        dataPropertyName: field,
        options: {},
      }),
    ),
  ]
  const connections = chain(...nodes.map(({ name }) => name))
  await rest.addWorkflow({ name: 'Meetings', nodes, connections }, { publish: true })
  const before = await billed(direct.baseUrl)
  const items = (await callWebhook(rest, start, '').then((response) => response.json())) as { text: string }[]
  const after = await billed(direct.baseUrl)
  const heard = after['recording_seconds'] ?? 0
  const bill = heard - (before['recording_seconds'] ?? 0)
  if (Math.abs(bill - seconds) > 0.1) throw new Error(`${seconds} seconds of recordings are billed as ${bill}`)
  const texts = items.filter(({ text }) => text.length > 20)
  if (texts.length !== SENTENCES.length) throw new Error(`The node outputs ${JSON.stringify(items)}`)
  for (const [index] of SENTENCES.entries()) {
    const name = `meeting${index + 1}`
    const [minutes = '', subtitles = ''] = await Promise.all(
      ['md', 'srt'].map((ending) => readFile(join(folder, `${name}.${ending}`), 'utf8')),
    )
    if (!minutes.startsWith(`# ${name}\n\n**Speaker 1** [00:00] `)) throw new Error(`The minutes are ${minutes}`)
    if (!/^1\n00:00:0\d,\d{3} --> /.test(subtitles)) throw new Error(`The subtitles are ${subtitles}`)
  }
  return `bill: 5 recordings of ${seconds.toFixed(1)} s are 5 texts, 5 SRT and 5 Markdown files, billed as ${bill.toFixed(1)} s`
}

/** n8n's own switch repeats a node whose last item fails. The service speaks each text once. */
async function spokenAgain({ rest, direct, credential }: BillOptions): Promise<string> {
  const texts = SENTENCES.slice(0, 2)
  const rows = [...texts, 'Nobody says this.'].map((text, index) => ({ text, voice: index < 2 ? 'rms' : 'nobody' }))
  const jsCode = `return ${JSON.stringify(rows)}.map((json) => ({ json }))`
  const { failure, spent } = await retried({ rest, direct, credential }, 'Speak', {
    source: node('Rows', 'code', { jsCode }, { typeVersion: 2 }),
    parameters: { text: '={{ $json.text }}', voice: byId('={{ $json.voice }}') },
  })
  if (!failure.includes('nobody')) throw new Error(`The run ends with ${failure}`)
  const characters = texts.join('').length
  const bill = spent('characters')
  if (bill !== characters) throw new Error(`Retry On Fail: ${characters} characters are billed as ${bill}`)
  return `bill: three tries of Retry On Fail speak ${characters} characters, billed as ${bill}`
}

/** The same with recordings. */
async function heardAgain({ rest, direct, credential, folder }: BillOptions): Promise<string> {
  const recordings = join(folder, 'retried')
  await mkdir(recordings)
  const bytes = await dialogue(direct, SENTENCES[0], SENTENCES[1])
  const meter = new WavMeter()
  meter.add(bytes)
  const seconds = 2 * (meter.durationSeconds ?? 0)
  for (const name of ['a.wav', 'b.wav']) await writeFile(join(recordings, name), bytes)
  await writeFile(join(recordings, 'c.wav'), 'no sound')
  const { failure, spent } = await retried({ rest, direct, credential }, 'Listen', {
    source: node('Read', 'readWriteFile', { operation: 'read', fileSelector: `${recordings}/*`, options: {} }),
    parameters: { resource: 'transcription' },
  })
  if (!failure.includes('[item 2]')) throw new Error(`The run ends with ${failure}`)
  const bill = spent('recording_seconds')
  if (Math.abs(bill - seconds) > 0.1) throw new Error(`Retry On Fail: ${seconds} seconds are billed as ${bill}`)
  return `bill: three tries of Retry On Fail hear ${seconds.toFixed(1)} s, billed as ${bill.toFixed(1)} s`
}

/** A node that fails in each of three tries, its failure, and what the service counted. */
async function retried(
  { rest, direct, credential }: Omit<BillOptions, 'folder'>,
  name: string,
  { source, parameters }: { readonly source: ReturnType<typeof node>; readonly parameters: INodeParameters },
): Promise<{ failure: string; spent: (measure: string) => number }> {
  const start = webhook(`Begin ${name}`, { responseMode: 'onReceived' })
  const work = node(name, SVC_AUDIO, parameters, {
    credentials: { svcAudioApi: { id: credential, name: 'Svc Audio API' } },
    retryOnFail: true,
    maxTries: 3,
    waitBetweenTries: 100,
  })
  const nodes = [start, source, work]
  const connections = chain(...nodes.map((one) => one.name))
  const id = await rest.addWorkflow({ name: `Retry On Fail: ${name}`, nodes, connections }, { publish: true })
  const before = await billed(direct.baseUrl)
  await callWebhook(rest, start, '')
  const failure = await rest.finished(id).then(
    () => 'success',
    (error: unknown) => String(error),
  )
  const after = await billed(direct.baseUrl)
  return { failure, spent: (measure) => (after[measure] ?? 0) - (before[measure] ?? 0) }
}

async function dialogue(direct: AudioClient, first: string, second: string): Promise<Uint8Array> {
  const speakers = ['slt', 'rms'].map((voice) => ({ id: voice, voice_id: voice }))
  const segments = [
    { speaker: 'slt', text: first },
    { speaker: 'rms', text: second },
  ]
  const body = { model: 'svc-ttsd-1.0', speakers, segments, response_format: 'wav' }
  return direct.dialogue.create(body).then((audio) => audio.bytes())
}

/** The work of a service so far, by its measure. */
export async function billed(baseUrl: string): Promise<Record<string, number>> {
  const metrics = await fetch(`${baseUrl}/metrics`).then((response) => response.text())
  const found = [...metrics.matchAll(/^svc_audio_work_total\{measure="(\w+)"\} (\S+)$/gm)]
  return Object.fromEntries(found.map(([, measure = '', value]) => [measure, Number(value)]))
}
