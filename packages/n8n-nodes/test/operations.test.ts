import { json, status } from '@svc-audio/testing'
import {
  type INodeExecutionData,
  type INodeParameters,
  type INodeProperties,
  type IRun,
  NodeHelpers,
} from 'n8n-workflow'
import { describe, expect, test } from 'vitest'
import { SvcAudio } from '../nodes/SvcAudio/SvcAudio.node.ts'
import { errorOf, outputOf, textOf } from './support/engine.ts'
import { byId } from './support/parameters.ts'
import { scripted } from './support/scripted.ts'

const SAMPLE = Buffer.from('a recording')
const WITH_FILE: INodeExecutionData[] = [
  { json: {}, binary: { data: { data: SAMPLE.toString('base64'), mimeType: 'audio/wav', fileName: 'ann.wav' } } },
]
const SEGMENTS = [
  { type: 't', id: '1', start: 0, end: 1.5, text: 'Good morning.', speaker: 'S01' },
  { type: 't', id: '2', start: 1.5, end: 2, text: 'How are you?', speaker: 'S01' },
  { type: 't', id: '3', start: 2, end: 3, text: 'Well.', speaker: 'S02' },
]

const given = scripted({ segments: SEGMENTS })

/** Runs one node with a form that names no more than this. */
function run(fields: INodeParameters, items?: INodeExecutionData[], more: object = {}): Promise<IRun> {
  return given.engine.run([{ name: 'Node', parameters: fields, ...more }], items === undefined ? {} : { items })
}

async function output(fields: INodeParameters, items?: INodeExecutionData[]): Promise<INodeExecutionData[]> {
  const done = await run(fields, items)
  expect(errorOf(done, 'Node')).toBeUndefined()
  return outputOf(done, 'Node')
}

const SPEECH = { text: 'Good morning.', voice: byId('voice-1') }
const LISTEN = {
  resource: 'transcription',
  source: 'url',
  url: 'https://example.com/a.wav',
  model: byId('svc-transcribe-diarize-pro'),
}
const DIALOGUE = {
  resource: 'dialogue',
  speakers: {
    speaker: [
      { name: 'Ann', voiceId: 'voice-1' },
      { name: 'Ben', voiceId: 'voice-2' },
    ],
  },
  lines: {
    line: [
      { speaker: 'Ann', text: 'Good morning.' },
      { speaker: 'Ben', text: 'Hello.' },
    ],
  },
}
const SENT_DIALOGUE = {
  model: 'svc-ttsd-1.0',
  speakers: [
    { id: 'Ann', voice_id: 'voice-1' },
    { id: 'Ben', voice_id: 'voice-2' },
  ],
  segments: [
    { speaker: 'Ann', text: 'Good morning.' },
    { speaker: 'Ben', text: 'Hello.' },
  ],
  response_format: 'wav',
}

describe('Speech', () => {
  test('with Output URL answers with URL, length and expiry, without a file', async () => {
    const [item] = await output({ ...SPEECH, output: 'url' })
    expect(given.upstream.requests[0]?.json).toMatchObject({ delivery_method: 'url' })
    expect(item?.binary).toBeUndefined()
    expect(item?.json).toMatchObject({ responseFormat: 'wav', durationSeconds: 0.5 })
    expect(item?.json['url']).toContain(given.upstream.url)
  })

  test('with Speed is a WAV file of what was streamed', async () => {
    const [item] = await output({ ...SPEECH, options: { speed: 1.5 } })
    expect(given.upstream.requests[0]?.json).toMatchObject({ stream: true, speed: 1.5, stream_format: 'sse' })
    const wav = await given.engine.bytesOf(item, 'data')
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF')
    expect(wav.readUInt32LE(40)).toBe(wav.byteLength - 44)
    expect(item?.json).toMatchObject({ fileName: 'speech.wav', bytes: wav.byteLength, durationSeconds: 0.5 })
  })

  test('Speed with the format PCM is the PCM of the stream, with its sample rate', async () => {
    const [item] = await output({ ...SPEECH, responseFormat: 'pcm', options: { speed: 1.5 } })
    const pcm = await given.engine.bytesOf(item, 'data')
    expect(item?.json).toMatchObject({ fileName: 'speech.pcm', bytes: pcm.byteLength, durationSeconds: 0.5 })
    const { sampleRate, channels, bitDepth } = item?.json ?? {}
    expect((Number(sampleRate) * Number(channels) * Number(bitDepth)) / 8 / 2).toBe(pcm.byteLength)
  })

  test.each([
    [{ responseFormat: '={{ "mp3" }}' }, 'Speed: works with the response formats WAV and PCM only [item 0]'],
    [{ output: '={{ "url" }}' }, 'Speed: works with the output File only [item 0]'],
    [{ model: byId('={{ "svc-tts-1.0-pro" }}') }, 'Speed: works with the model svc-tts-1.5-flash only [item 0]'],
    [
      { options: { language: 'en' }, responseFormat: '={{ "opus" }}' },
      'Language: works with the response formats WAV and PCM only [item 0]',
    ],
    [
      { options: { speed: 2, aigc: { marking: { propagateId: 'p' } } } },
      'Speed: cannot be combined with Mark as AI-Generated [item 0]',
    ],
  ])('Speed with %j, by an expression, is refused before any request', async (fields, message) => {
    const done = await run({ ...SPEECH, options: { speed: 2 }, ...fields })
    expect(errorOf(done, 'Node')?.message).toBe(message)
    expect(given.upstream.requests).toHaveLength(0)
  })

  test.each([
    ['wav', 'file', 'svc-tts-1.5-flash', true],
    ['pcm', 'file', 'svc-tts-1.5-flash', true],
    ['mp3', 'file', 'svc-tts-1.5-flash', false],
    ['wav', 'url', 'svc-tts-1.5-flash', false],
    ['wav', 'file', 'svc-tts-1.0-pro', false],
  ])('the form offers Speed with %s, output %s and %s: %s', (responseFormat, kind, model, isShown) => {
    const { description } = new SvcAudio()
    const parameters = { resource: 'speech', operation: 'create', responseFormat, output: kind, model: byId(model) }
    const options = description.properties.find(
      ({ name, displayOptions }) =>
        name === 'options' && displayOptions?.show?.['resource']?.includes('speech') === true,
    )
    const speed = options?.options?.find(({ name }) => name === 'speed') as INodeProperties
    const node = { typeVersion: 1, type: 'svcAudio' }
    expect(NodeHelpers.displayParameter({}, speed, node, description, parameters)).toBe(isShown)
  })

  test('with Mark as AI-Generated asks for the marking', async () => {
    const marking = { contentPropagator: 'Radio', propagateId: '={{ 7 }}' }
    await output({ ...SPEECH, options: { aigc: { marking } } })
    expect(given.upstream.requests[0]?.json).toMatchObject({
      aigc_metadata: { enabled: true, content_propagator: 'Radio', propagate_id: '7' },
    })
  })

  test.each([
    ['greeting', 'mp3', 'greeting.mp3'],
    ['/tmp/out/greeting.mp3', 'mp3', 'tmp-out-greeting.mp3'],
    ['Q3: costs / "benefits"?\r\n', 'mp3', 'Q3-costs-benefits.mp3'],
    ['AC/DC | live*', 'wav', 'AC-DC-live.wav'],
    ['con', 'wav', 'con_.wav'],
    ['é'.repeat(300), 'mp3', `${'é'.repeat(90)}.mp3`],
    ['..\\greeting', 'mp3', 'greeting.mp3'],
    ['../', 'mp3', 'speech.mp3'],
    ['greeting.wav', 'mp3', 'greeting.mp3'],
    ['v1.2', 'wav', 'v1.2.wav'],
    ['note.oga', 'opus', 'note.oga'],
    ['', 'opus', 'speech.ogg'],
  ])('names the file %j in the format %s %s', async (fileName, responseFormat, expected) => {
    const [item] = await output({ ...SPEECH, responseFormat, options: { fileName } })
    expect(item?.binary?.['data']?.fileName).toBe(expected)
  })
})

describe('Dialogue', () => {
  describe('of three items', () => {
    const items = ['Ann', 'Ben', 'Eve'].map((speaker) => ({ json: { speaker, text: 'Hello.' } }))
    const fields = { ...DIALOGUE, linesFrom: 'items' }

    test('an item with an unknown speaker is the item that the error names', async () => {
      const done = await run(fields, items)
      expect(errorOf(done, 'Node')).toMatchObject({
        message: 'Lines 3: Speaker: is not the name of one of the speakers [item 2]',
        context: { itemIndex: 2 },
      })
      expect(given.upstream.requests).toHaveLength(0)
    })

    test('with On Error: Continue, the failed dialogue is paired with each item', async () => {
      const done = await run(fields, items, { onError: 'continueRegularOutput' })
      expect(outputOf(done, 'Node').map(({ pairedItem }) => pairedItem)).toEqual([
        [{ item: 0 }, { item: 1 }, { item: 2 }],
      ])
    })
  })

  test.each([
    ['no name of a speaker', { speakers: { speaker: [{ name: '', voiceId: 'voice-1' }] } }],
    ['no voice', { speakers: { speaker: [{ name: 'Ann', voiceId: '' }] } }],
    ['no text in a line', { lines: { line: [{ speaker: 'Ann', text: '' }] } }],
  ])('with %s has a red mark in the editor, so that n8n does not run it', async (_what, fields) => {
    await expect(run({ ...DIALOGUE, ...fields })).rejects.toThrow(/has issues/)
    expect(given.upstream.requests).toHaveLength(0)
  })

  test('of the form sends speakers and lines', async () => {
    const [item] = await output(DIALOGUE)
    expect(given.upstream.requests[0]).toMatchObject({ path: '/v1/audio/speech/speakers', json: SENT_DIALOGUE })
    expect((await given.engine.bytesOf(item, 'data')).toString('latin1', 0, 4)).toBe('RIFF')
  })

  test.each([
    ['text', JSON.stringify(SENT_DIALOGUE.segments)],
    ['an expression', `={{ ${JSON.stringify(SENT_DIALOGUE.segments)} }}`],
  ])('of JSON as %s sends the same', async (_what, linesJson) => {
    await output({ ...DIALOGUE, linesFrom: 'json', linesJson })
    expect(given.upstream.requests[0]?.json).toEqual(SENT_DIALOGUE)
  })

  test('of items is one request and one item, paired with all of them', async () => {
    const items = SENT_DIALOGUE.segments.map(({ speaker, text }) => ({ json: { who: speaker, said: text } }))
    const fields = { ...DIALOGUE, linesFrom: 'items', speakerField: 'who', textField: 'said' }
    const found = await output(fields, items)
    expect(given.upstream.requests.map(({ json: sent }) => sent)).toEqual([SENT_DIALOGUE])
    expect(found.map(({ pairedItem }) => pairedItem)).toEqual([[{ item: 0 }, { item: 1 }]])
  })

  test('names the line at fault', async () => {
    const lines = {
      line: [
        { speaker: 'Ann', text: 'Hi.' },
        { speaker: 'Carl', text: 'Ho.' },
      ],
    }
    const done = await run({ ...DIALOGUE, lines })
    expect(errorOf(done, 'Node')?.message).toMatch(/^Lines 2: Speaker: .*\[item 0\]$/)
    expect(given.upstream.requests).toHaveLength(0)
  })

  test('refuses JSON that is no array', async () => {
    const done = await run({ ...DIALOGUE, linesFrom: 'json', linesJson: '{}' })
    expect(errorOf(done, 'Node')?.message).toContain('Lines: must be an array of objects with speaker and text')
  })
})

describe('Transcription', () => {
  const NAMES = { speakerNames: { name: [{ label: 'S01', name: 'Ann' }] } }

  test('as JSON holds everything, with the names that were given', async () => {
    const [item] = await output({ ...LISTEN, options: NAMES })
    expect(item?.json).toMatchObject({ segments: [{ speaker: 'Ann' }, { speaker: 'Ann' }, { speaker: 'S02' }] })
  })

  test('with speakers has a paragraph for each turn', async () => {
    const [item] = await output({ ...LISTEN, responseFormat: 'speakers', options: NAMES })
    expect(item?.json['text']).toBe('Ann: Good morning. How are you?\n\nSpeaker 2: Well.')
  })

  test.each([
    ['srt', '00:00:00,000 --> 00:00:01,500\nAnn: Good morning.', 'application/x-subrip'],
    ['vtt', '00:00:00.000 --> 00:00:01.500\n<v Ann>Good morning.</v>', 'text/vtt'],
  ])('as %s is a file and text', async (responseFormat, cue, mimeType) => {
    const [item] = await output({ ...LISTEN, responseFormat, options: { ...NAMES, fileName: 'meeting' } })
    const file = (await given.engine.bytesOf(item, 'data')).toString()
    expect(file).toContain(cue)
    expect(item?.json['text']).toBe(file)
    expect(item?.binary?.['data']).toMatchObject({ fileName: `meeting.${responseFormat}`, mimeType })
  })

  test.each([
    ['a speaker without a name reads as in the text', {}, 'Speaker 1: Good morning.'],
    ['without speakers, cues hold the text alone', { subtitleSpeakers: false }, '\nGood morning.'],
    ['a line is not longer than Line Length', { subtitleSpeakers: false, lineLength: '8' }, '\nGood\nmorning.\n'],
  ])('subtitles: %s', async (_what, options, expected) => {
    const [item] = await output({ ...LISTEN, responseFormat: 'srt', options })
    expect(item?.json['text']).toContain(expected)
    expect(item?.json['text']).not.toContain('S01')
  })

  test.each(['json', 'text', 'speakers', 'srt', 'vtt'])('that is empty is a success as %s', async (responseFormat) => {
    const empty = responseFormat === 'text' ? { headers: { 'content-type': 'text/plain' }, body: '' } : undefined
    given.upstream.on(
      'POST /v1/audio/transcriptions',
      empty ?? json({ task: 't', duration: 1, text: '', segments: [] }),
    )
    const [item] = await output({ ...LISTEN, responseFormat })
    expect(textOf(item, 'text')).toBe(responseFormat === 'vtt' ? 'WEBVTT\n' : '')
  })

  test('of short audio without segments is one subtitle', async () => {
    given.upstream.on('POST /v1/audio/transcriptions', json({ task: 't', duration: 0.8, text: 'Yes.', segments: [] }))
    const [item] = await output({ ...LISTEN, responseFormat: 'srt' })
    expect(textOf(item, 'text')).toContain('00:00:00,000 --> 00:00:01,000\nYes.')
  })

  test.each(['speakers', 'srt', 'vtt'])('as %s with the plain model is refused before any request', async (format) => {
    const fields = { ...LISTEN, model: byId('svc-transcribe-1.0'), responseFormat: `={{ "${format}" }}` }
    const done = await run(fields)
    expect(errorOf(done, 'Node')?.message).toContain('Output Format: needs a model that tells speakers apart')
    expect(given.upstream.requests).toHaveLength(0)
  })

  test.each([
    ['Tell Speakers Apart', { diarize: true }],
    ['Key Terms', { keyterms: ['Fox'] }],
    ['Speaker Names', { speakerNames: { name: [{ label: 'S01', name: 'Ann' }] } }],
  ])('%s with the plain model is refused, never dropped', async (name, options) => {
    const done = await run({ ...LISTEN, model: byId('svc-transcribe-1.0'), options })
    expect(errorOf(done, 'Node')?.message).toBe(`${name}: does not work with the model svc-transcribe-1.0 [item 0]`)
    expect(given.upstream.requests).toHaveLength(0)
  })

  test('deletes the file afterwards, and a transcript outlives a deletion that fails', async () => {
    const fields = { ...LISTEN, source: 'fileId', fileId: byId('file-7'), options: { deleteFile: true } }
    given.upstream.on('POST /v1/audio/transcriptions', json({ text: 'Yes.' }))
    given.upstream.next(
      'DELETE /v1/files/{file_id}',
      json({ id: 'file-7', object: 'file', deleted: true }),
      status(404),
    )
    expect((await output(fields))[0]?.json).toEqual({ text: 'Yes.', fileDeleted: true })
    expect((await output(fields))[0]?.json).toEqual({ text: 'Yes.', fileDeleted: false })
    expect(given.upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/files/file-7',
      'POST /v1/audio/transcriptions',
      'DELETE /v1/files/file-7',
      'GET /v1/files/file-7',
      'POST /v1/audio/transcriptions',
      'DELETE /v1/files/file-7',
    ])
  })
})

describe('Delete File Afterwards', () => {
  const fields = { ...LISTEN, source: 'fileId', fileId: byId('={{ $json.file }}'), options: { deleteFile: true } }
  const items = [{ json: { file: 'file-1' } }, { json: { file: 'file-2' } }]
  const deleted = (): string[] =>
    given.upstream.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path)

  test('waits for all items, so that Retry On Fail finds the file of the first one again', async () => {
    given.upstream.on('POST /v1/audio/transcriptions', json({ text: 'Yes.' }))
    given.upstream.next('POST /v1/audio/transcriptions', json({ text: 'Yes.' }), () => {
      expect(deleted()).toEqual([])
      return status(400)
    })
    given.upstream.on('DELETE /v1/files/{file_id}', json({ id: 'file', object: 'file', deleted: true }))
    const done = await run(fields, items, { maxTries: 2 })
    expect(outputOf(done, 'Node').map((item) => item.json)).toEqual([
      { text: 'Yes.', fileDeleted: true },
      { text: 'Yes.', fileDeleted: true },
    ])
    expect(deleted()).toEqual(['/v1/files/file-1', '/v1/files/file-2'])
  })

  test('deletes nothing in a run that fails', async () => {
    given.upstream.on('POST /v1/audio/transcriptions', json({ text: 'Yes.' }))
    given.upstream.next('POST /v1/audio/transcriptions', json({ text: 'Yes.' }), status(400))
    expect(errorOf(await run(fields, items), 'Node')?.message).toContain('[item 1]')
    expect(deleted()).toEqual([])
  })
})

describe('Voice', () => {
  test('is created from a binary field', async () => {
    const options = { description: 'Calm' }
    const [item] = await output({ resource: 'voice', name: 'Ann', options }, WITH_FILE)
    expect(item?.json).toMatchObject({ object: 'audio.voice', name: 'Ann' })
    expect(given.upstream.requests[0]?.form).toMatchObject({
      fields: { name: ['Ann'], description: ['Calm'] },
      files: [{ field: 'audio_sample', filename: 'ann.wav', content: SAMPLE }],
    })
  })

  test('is generated from a description', async () => {
    const [item] = await output({ resource: 'voice', operation: 'generate', text: 'Hi', instruction: 'An old man' })
    expect(given.upstream.requests[0]).toMatchObject({
      path: '/v1/audio/voice/generations',
      json: { model: 'svc-voice-generator-1.0', input: 'Hi', instruction: 'An old man', response_format: 'wav' },
    })
    expect(item?.binary?.['data']?.mimeType).toBe('audio/wav')
  })

  test('lists are simplified, or as the service sends them', async () => {
    const simple = await output({ resource: 'voice', operation: 'getAll' })
    expect(simple).toHaveLength(3)
    expect(Object.keys(simple[0]?.json ?? {})).toEqual(['id', 'name', 'createdAt'])
    const raw = await output({ resource: 'voice', operation: 'getAll', simplify: false, options: { status: 'active' } })
    expect(raw[0]?.json).toMatchObject({ object: 'audio.voice', created_at: expect.any(Number) })
    expect(given.upstream.requests.at(-1)?.query.get('status')).toBe('active')
  })

  test('Speak Sample speaks with the voice, as MP3 with the name of the voice', async () => {
    const [item] = await output({ resource: 'voice', operation: 'sample', voice: byId('voice-1') })
    const [request] = given.upstream.requests
    expect(request).toMatchObject({
      path: '/v1/audio/speech',
      json: { model: 'svc-tts-1.5-flash', voice_id: 'voice-1', response_format: 'mp3' },
    })
    expect(request?.json).toHaveProperty('input', expect.stringMatching(/^Good morning\./))
    expect(item?.json).toMatchObject({ voiceId: 'voice-1', fileName: 'voice-1.mp3' })
    expect((await given.engine.bytesOf(item, 'data')).byteLength).toBe(item?.json['bytes'])
  })

  test('Speak Sample speaks with each voice that Get Many outputs', async () => {
    const voices = ['voice-1', 'voice-2'].map((id) => ({ json: { id } }))
    const items = await output({ resource: 'voice', operation: 'sample', voice: byId('={{ $json.id }}') }, voices)
    expect(items.map(({ json: spoken }) => spoken['voiceId'])).toEqual(['voice-1', 'voice-2'])
  })

  test('Speak Sample with Output URL answers with the URL of the audio', async () => {
    const [item] = await output({ resource: 'voice', operation: 'sample', voice: byId('voice-1'), output: 'url' })
    expect(item?.json).toMatchObject({ voiceId: 'voice-1', url: expect.stringContaining(given.upstream.url) })
  })
})

describe('File', () => {
  const FILE = { resource: 'file' }

  test('is uploaded, found, listed and deleted', async () => {
    const [stored] = await output({ ...FILE, options: { purpose: 'meeting' } }, WITH_FILE)
    expect(stored?.json).toMatchObject({ object: 'file', fileName: 'ann.wav', purpose: 'meeting', bytes: 11 })
    const fileId = byId(textOf(stored, 'id'))
    expect((await output({ ...FILE, operation: 'get', fileId }))[0]?.json).toEqual(stored?.json)
    const listed = await output({ ...FILE, operation: 'getAll', options: { purpose: 'meeting' } })
    expect(listed.map(({ json: file }) => file)).toEqual([
      { id: fileId.value, fileName: 'ann.wav', bytes: 11, createdAt: expect.stringMatching(/Z$/) },
    ])
    expect((await output({ ...FILE, operation: 'delete', fileId }))[0]?.json).toEqual({ deleted: true })
    const done = await run({ ...FILE, operation: 'get', fileId })
    expect(errorOf(done, 'Node')).toMatchObject({ httpCode: '404' })
  })
})

describe('a failure of each operation', () => {
  const TASK = { taskId: 'task-1' }
  const forms: readonly [what: string, fields: INodeParameters][] = [
    ['speech.create', SPEECH],
    ['speech.startTask', { ...SPEECH, operation: 'startTask' }],
    ['dialogue.create', DIALOGUE],
    ['dialogue.startTask', { ...DIALOGUE, operation: 'startTask' }],
    ['transcription.create', LISTEN],
    ['transcription.startTask', { ...LISTEN, operation: 'startTask' }],
    ['voice.create', { resource: 'voice' }],
    ['voice.generate', { resource: 'voice', operation: 'generate', text: 'Hi', instruction: 'Old' }],
    ['voice.startTask', { resource: 'voice', operation: 'startTask', text: 'Hi', instruction: 'Old' }],
    ['voice.getAll', { resource: 'voice', operation: 'getAll' }],
    ['voice.sample', { resource: 'voice', operation: 'sample', voice: byId('voice-1') }],
    ['file.upload', { resource: 'file' }],
    ['file.get', { resource: 'file', operation: 'get', fileId: byId('f') }],
    ['file.getAll', { resource: 'file', operation: 'getAll' }],
    ['file.delete', { resource: 'file', operation: 'delete', fileId: byId('f') }],
    ['task.get', { resource: 'task', operation: 'get', ...TASK }],
    ['task.wait', { resource: 'task', ...TASK }],
  ]

  test.each(forms)('%s stops the run with the message of the service', async (_what, fields) => {
    given.upstream.on('*', status(400, { error: { message: 'Not today' } }))
    const done = await run(fields, WITH_FILE)
    expect(done.status).toBe('error')
    expect(errorOf(done, 'Node')).toMatchObject({
      name: 'NodeApiError',
      httpCode: '400',
      message: expect.stringMatching(/Not today.* \[item 0\]$/),
    })
  })

  test.each(forms)('%s with On Error: Continue becomes an item', async (_what, fields) => {
    given.upstream.on('*', status(400, { error: { message: 'Not today' } }))
    const done = await run(fields, WITH_FILE, { onError: 'continueRegularOutput' })
    const error = expect.stringContaining('Not today')
    const description = expect.stringContaining('Change what the message names.')
    expect(outputOf(done, 'Node').map(({ json: item }) => item)).toEqual([
      { error, description, status: 400, code: 'scripted_error' },
    ])
  })

  test.each(forms)('%s with On Error: Error Output leaves there', async (_what, fields) => {
    given.upstream.on('*', status(400, { error: { message: 'Not today' } }))
    const done = await run(fields, WITH_FILE, { onError: 'continueErrorOutput' })
    const [passed, failed] = done.data.resultData.runData['Node']?.[0]?.data?.['main'] ?? []
    expect(passed).toEqual([])
    expect(failed?.[0]?.json['error']).toContain('Not today')
  })
})
