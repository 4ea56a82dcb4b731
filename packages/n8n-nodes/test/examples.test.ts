import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { wordErrorRate } from '@svc-audio/testing'
import type { INode, INodeExecutionData, IRun } from 'n8n-workflow'
import { beforeAll, expect, test } from 'vitest'
import { SvcAudio } from '../nodes/SvcAudio/SvcAudio.node.ts'
import { errorOf, type ExportedWorkflow, outputOf, PACKAGE_FOLDER, textOf } from './support/engine.ts'
import { editFields, passOn, requestingAgent } from './support/test-nodes.ts'
import { served } from './support/scripted.ts'

const FOLDER = join(PACKAGE_FOLDER, 'examples')
const SENTENCES = ['There is fresh bread on the table.', 'The train to the coast leaves at seven.']

const given = served({ audioUrlAllow: ['127.0.0.1'] })

beforeAll(() => {
  const base = [
    'manualTrigger',
    'rssFeedRead',
    'limit',
    'readWriteFile',
    'formTrigger',
    'googleDocs',
    'telegram',
    'wait',
  ]
  for (const name of [...base, 'telegramTrigger']) given.engine.addType(`n8n-nodes-base.${name}`, passOn)
  given.engine.addType('n8n-nodes-base.set', editFields)
  given.engine.addType('@n8n/n8n-nodes-langchain.chatTrigger', passOn)
  given.engine.addType('@n8n/n8n-nodes-langchain.agent', requestingAgent)
  given.engine.addType('@n8n/n8n-nodes-langchain.lmChatOpenAi', passOn)
})

async function example(name: string): Promise<ExportedWorkflow> {
  return JSON.parse(await readFile(join(FOLDER, `${name}.json`), 'utf8')) as ExportedWorkflow
}

async function run(
  name: string,
  items: INodeExecutionData[],
  change = (_workflow: ExportedWorkflow) => {},
): Promise<IRun> {
  const workflow = await example(name)
  change(workflow)
  const done = await given.engine.runExport(workflow, items)
  for (const { name: node } of workflow.nodes) expect(errorOf(done, node)).toBeUndefined()
  return done
}

/** A recording as an item. */
function recording(bytes: Uint8Array, field = 'data'): INodeExecutionData {
  const data = Buffer.from(bytes).toString('base64')
  const binary = { [field]: { data, mimeType: 'audio/wav', fileName: 'recording.wav' } }
  return { json: { message: { chat: { id: 7 } } }, binary }
}

test('there are eight, and every field that they set is a field of the node', async () => {
  const files = await readdir(FOLDER)
  expect(files).toHaveLength(8)
  const known = new Set(new SvcAudio().description.properties.map(({ name }) => name))
  for (const file of files) {
    const { nodes } = await example(file.replace('.json', ''))
    const ours = nodes.filter(({ type }) => type.startsWith('n8n-nodes-svc-audio.'))
    expect(ours.length).toBeGreaterThan(0)
    const fields = new Set(ours.flatMap(({ parameters }) => Object.keys(parameters)))
    expect(
      [...fields].filter((field) => !known.has(field) && !/^(descriptionType|toolDescription)$/.test(field)),
    ).toEqual([])
  }
})

test('the podcast is the dialogue of its articles, byte for byte', async () => {
  const articles = SENTENCES.map((title) => ({ json: { title: title.slice(0, -1), contentSnippet: 'So it was.' } }))
  const [item, ...others] = outputOf(await run('podcast-from-articles', articles), 'Save')
  expect(others).toEqual([])
  const segments = articles.map(({ json }, index) => ({
    speaker: index % 2 === 0 ? 'Ann' : 'Ben',
    text: `${json.title}. ${json.contentSnippet}`,
  }))
  const speakers = [
    { id: 'Ann', voice_id: 'slt' },
    { id: 'Ben', voice_id: 'rms' },
  ]
  const body = { model: 'svc-ttsd-1.0', speakers, segments, response_format: 'mp3' }
  const direct = await given.service.direct.dialogue.create(body).then((audio) => audio.bytes())
  expect(Buffer.compare(await given.engine.bytesOf(item, 'data'), direct)).toBe(0)
  expect(item?.json['fileName']).toBe('podcast.mp3')
})

test('the notes of a meeting name their speakers', async () => {
  const speakers = [
    { id: 'A', voice_id: 'slt' },
    { id: 'B', voice_id: 'rms' },
  ]
  const segments = SENTENCES.map((text, index) => ({ speaker: index === 0 ? 'A' : 'B', text }))
  const body = { model: 'svc-ttsd-1.0', speakers, segments, response_format: 'wav' }
  const meeting = await given.service.direct.dialogue.create(body).then((audio) => audio.bytes())
  const done = await run('meeting-notes', [recording(meeting, 'Recording')])
  const notes = textOf(outputOf(done, 'Transcribe')[0], 'text')
  expect(notes).toMatch(/^Ann: /)
  expect(notes).toMatch(/\n\nBen: /)
  const words = notes.replaceAll(/(Ann|Ben): /g, '')
  expect(wordErrorRate(SENTENCES.join(' '), words)).toBeLessThanOrEqual(0.3)
})

test('the agent gets the address of what it had spoken, and hears it', async () => {
  const [text = ''] = SENTENCES
  const call = (tool: string, input: object) => (workflow: ExportedWorkflow) => {
    const agent = workflow.nodes.find(({ name }) => name === 'Assistant')
    Object.assign(agent?.parameters ?? {}, { tool, call: JSON.stringify(input) })
  }
  const responseOf = (done: IRun): Record<string, unknown> => {
    const [answer = {}] = (outputOf(done, 'Assistant')[0]?.json['answer'] ?? []) as Record<string, unknown>[]
    return answer
  }
  const spoken = responseOf(await run('voice-agent-tool', [{ json: {} }], call('Speak', { Text: text })))
  expect(spoken['durationSeconds']).toBeGreaterThan(1)
  const heard = responseOf(await run('voice-agent-tool', [{ json: {} }], call('Listen', { URL: spoken['url'] })))
  expect(wordErrorRate(text, String(heard['text']))).toBeLessThanOrEqual(0.15)
})

test('the reply to a voice note is Ogg Opus that repeats it', async () => {
  const [, text = ''] = SENTENCES
  const body = { model: 'svc-tts-1.5-flash', input: text, voice_id: 'rms', response_format: 'wav' }
  const note = await given.service.direct.speech.create(body).then((audio) => audio.bytes())
  const [item] = outputOf(await run('voice-note-reply', [recording(note)]), 'Send')
  const reply = await given.engine.bytesOf(item, 'data')
  expect(reply.toString('latin1', 0, 4)).toBe('OggS')
  expect(item?.binary?.['data']).toMatchObject({ fileName: 'reply.ogg', mimeType: 'audio/ogg' })
  const file = { data: new Uint8Array(reply), name: 'reply.ogg', type: 'audio/ogg' }
  const heard = await given.service.direct.transcriptions.create({ model: 'svc-transcribe-1.0', file })
  expect(wordErrorRate(`You said: ${text}`, heard.text)).toBeLessThanOrEqual(0.3)
})

test('the quick start speaks a sentence and hears it', async () => {
  const done = await run('speak-and-listen', [{ json: {} }])
  expect(textOf(outputOf(done, 'Listen')[0], 'text')).toMatch(/good morning/i)
})

test('each recording becomes minutes and subtitles of its name', async () => {
  const speakers = [
    { id: 'A', voice_id: 'slt' },
    { id: 'B', voice_id: 'rms' },
  ]
  const segments = SENTENCES.map((text, index) => ({ speaker: index === 0 ? 'A' : 'B', text }))
  const body = { model: 'svc-ttsd-1.0', speakers, segments, response_format: 'wav' }
  const meeting = await given.service.direct.dialogue.create(body).then((audio) => audio.bytes())
  const saved = outputOf(await run('minutes-and-subtitles', [recording(meeting)]), 'Save Subtitles')
  expect(saved.map(({ binary }) => [binary?.['markdown']?.fileName, binary?.['srt']?.fileName])).toEqual([
    ['recording.md', 'recording.srt'],
  ])
  expect((await given.engine.bytesOf(saved[0], 'markdown')).toString()).toMatch(
    /^# recording\n\n\*\*Speaker 1\*\* \[00:00\] /,
  )
})

test('the agent hears the file that is uploaded into its chat', async () => {
  const [text = ''] = SENTENCES
  const body = { model: 'svc-tts-1.5-flash', input: text, voice_id: 'rms', response_format: 'wav' }
  const memo = await given.service.direct.speech.create(body).then((audio) => audio.bytes())
  const message = { ...recording(memo, 'data0'), json: { chatInput: 'What is said there?' } }
  const done = await run('chat-with-a-voice-file', [message], ({ nodes }) => {
    const agent = nodes.find(({ name }) => name === 'Assistant')
    Object.assign(agent?.parameters ?? {}, { tool: 'Listen', call: '{}' })
  })
  const [answer = {}] = (outputOf(done, 'Assistant')[0]?.json['answer'] ?? []) as Record<string, unknown>[]
  expect(wordErrorRate(text, String(answer['text']))).toBeLessThanOrEqual(0.15)
})

test('the last node after Wait finds the task, in the call of the service and in the item', async () => {
  const spoken = async (change: (workflow: ExportedWorkflow) => void): Promise<unknown> => {
    const done = await run('wait-for-a-task', [{ json: {} }], (workflow) => {
      const start = workflow.nodes.find(({ name }) => name === 'Start speech task')
      // n8n of this test has no public address
      Object.assign(start?.parameters ?? {}, { webhookUrl: '' })
      change(workflow)
    })
    return outputOf(done, 'Wait for task')[0]?.json['fileName']
  }
  expect(await spoken(() => {})).toBe('speech.wav')
  const callback = editFieldsTo('body', '={{ { id: $json.taskId } }}')
  expect(
    await spoken(({ nodes }) => {
      const wait = nodes.find(({ name }) => name === 'Wait')
      Object.assign(wait ?? {}, callback)
    }),
  ).toBe('speech.wav')
})

/** A node that outputs one field, in the place of another node. */
function editFieldsTo(name: string, value: string): Pick<INode, 'type' | 'parameters'> {
  return { type: 'n8n-nodes-base.set', parameters: { assignments: { assignments: [{ name, value }] } } }
}
