import { json } from '@svc-audio/testing'
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow'
import { describe, expect, test } from 'vitest'
import { errorOf, outputOf, textOf } from './support/engine.ts'
import { byId, speech, transcription } from './support/parameters.ts'
import { scripted } from './support/scripted.ts'

const SEGMENTS = [
  { type: 't', id: '1', start: 0, end: 1.5, text: 'Good *morning*.', speaker: 'S01' },
  { type: 't', id: '2', start: 1.5, end: 2, text: 'How are you?', speaker: 'S01' },
  { type: 't', id: '3', start: 62.9, end: 64, text: 'Well.', speaker: 'S02' },
  { type: 't', id: '4', start: 3787, end: 3788, text: 'Bye.', speaker: 'S01' },
]
const DIARIZED = { model: byId('svc-transcribe-diarize-pro') }

const given = scripted({ segments: SEGMENTS })

const recording = (fileName: string | undefined, field = 'data'): INodeExecutionData => {
  const file = { data: Buffer.from('a recording').toString('base64'), mimeType: 'audio/mpeg' }
  return { json: {}, binary: { [field]: fileName === undefined ? file : { ...file, fileName } } }
}

async function listen(fields: INodeParameters, items: INodeExecutionData[]): Promise<INodeExecutionData[]> {
  const run = await given.engine.run([{ name: 'Listen', parameters: transcription({ ...DIARIZED, ...fields }) }], {
    items,
  })
  expect(errorOf(run, 'Listen')).toBeUndefined()
  return outputOf(run, 'Listen')
}

const FIVE = Array.from({ length: 5 }, (_, index) => recording(`meeting${index + 1}.mp3`))

describe('one transcription with several outputs', () => {
  test('five recordings are five SRT files, five Markdown files and five texts, by one request each', async () => {
    const fields = { responseFormat: 'text', files: ['srt', 'markdown', 'text'] }
    const items = await listen(fields, FIVE)
    expect(given.upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      FIVE.map(() => 'POST /v1/audio/transcriptions'),
    )
    for (const [field, ending] of [
      ['srt', 'srt'],
      ['markdown', 'md'],
      ['text', 'txt'],
    ] as const) {
      const names = items.map(({ binary }) => binary?.[field]?.fileName)
      expect(names).toEqual([1, 2, 3, 4, 5].map((number) => `meeting${number}.${ending}`))
    }
    expect(items.map((item) => textOf(item, 'text'))).toEqual(FIVE.map(() => 'Good *morning*. How are you? Well. Bye.'))
    const srt = (await given.engine.bytesOf(items[4], 'srt')).toString()
    expect(srt).toContain('00:00:00,000 --> 00:00:01,500\nSpeaker 1: Good *morning*.')
    expect(items[0]?.json['files']).toMatchObject({
      srt: { fileName: 'meeting1.srt', contentType: 'application/x-subrip' },
      markdown: { fileName: 'meeting1.md', contentType: 'text/markdown' },
    })
  })

  test('Markdown minutes say who said what, and when', async () => {
    const options = { speakerNames: { name: [{ label: 'Speaker 1', name: 'Ann' }] } }
    const [item] = await listen({ responseFormat: 'markdown', options }, [recording('talk.m4a')])
    const minutes = [
      '# talk',
      String.raw`**Ann** [00:00] Good \*morning\*. How are you?`,
      '**Speaker 2** [01:02] Well.',
      '**Ann** [1:03:07] Bye.\n',
    ].join('\n\n')
    expect(textOf(item, 'text')).toBe(minutes)
    expect((await given.engine.bytesOf(item, 'data')).toString()).toBe(minutes)
    expect(item?.binary?.['data']).toMatchObject({ fileName: 'talk.md', mimeType: 'text/markdown' })
  })

  test('JSON and VTT are files beside subtitles, and JSON holds every field', async () => {
    const [item] = await listen({ responseFormat: 'srt', files: ['json', 'vtt', 'srt'] }, [recording('talk.mp3')])
    expect(Object.keys(item?.binary ?? {}).toSorted()).toEqual(['data', 'json', 'vtt'])
    const all = JSON.parse((await given.engine.bytesOf(item, 'json')).toString()) as object
    expect(all).toMatchObject({ text: expect.stringContaining('Bye.'), segments: SEGMENTS })
    expect((await given.engine.bytesOf(item, 'vtt')).toString()).toMatch(/^WEBVTT\n/)
  })

  test('a task outputs the same files', async () => {
    const fields = { responseFormat: 'json', files: ['markdown', 'vtt'] }
    const [direct] = await listen(fields, [recording('talk.mp3')])
    const [task] = await listen({ ...fields, options: { runAsTask: 'always' } }, [recording('talk.mp3')])
    expect(task?.json).toEqual(direct?.json)
    for (const field of ['markdown', 'vtt']) {
      expect(await given.engine.bytesOf(task, field)).toEqual(await given.engine.bytesOf(direct, field))
    }
  })

  test('text alone is requested as text, and with files of it too', async () => {
    given.upstream.on('POST /v1/audio/transcriptions', { headers: { 'content-type': 'text/plain' }, body: 'Hello.' })
    const fields = { model: byId('svc-transcribe-1.0'), responseFormat: 'text', files: ['text'] }
    const [item] = await listen(fields, [recording('talk.mp3')])
    expect((await given.engine.bytesOf(item, 'text')).toString()).toBe('Hello.')
    expect(given.upstream.requests[0]?.form?.fields['response_format']).toEqual(['text'])
  })

  test.each([
    [
      { model: byId('svc-transcribe-1.0'), files: '={{ ["srt"] }}' },
      'More Files: needs a model that tells speakers apart, got svc-transcribe-1.0 [item 0]',
    ],
    [
      { files: '={{ "srt, docx" }}' },
      'More Files: must be some of json, markdown, srt, text, vtt, got "docx" [item 0]',
    ],
    [
      { responseFormat: 'vtt', outputPropertyName: 'srt', files: ['srt'] },
      'Put Output File in Field: "srt" is the field of another file [item 0]',
    ],
  ])('%j is refused before any request', async (fields, message) => {
    const parameters = transcription({ ...DIARIZED, source: 'url', url: 'https://example.com/a.mp3', ...fields })
    const run = await given.engine.run([{ name: 'Listen', parameters }])
    expect(errorOf(run, 'Listen')?.message).toBe(message)
    expect(given.upstream.requests).toHaveLength(0)
  })
})

describe('the name of a file', () => {
  const SRT = { responseFormat: 'srt' }
  const nameOf = (item: INodeExecutionData | undefined): string | undefined => item?.binary?.['data']?.fileName

  test('recordings of the same name, and without one, are numbered', async () => {
    const names = ['memo.webm', 'memo.webm', undefined, 'memo-2.webm', undefined, 'memo.ogg']
    const items = await listen(
      { ...SRT, options: { itemsAtOnce: 4 } },
      names.map((name) => recording(name)),
    )
    expect(items.map(nameOf)).toEqual([
      'memo.srt',
      'memo-3.srt',
      'transcript.srt',
      'memo-2.srt',
      'transcript-2.srt',
      'memo-4.srt',
    ])
  })

  test('a recording behind a URL gives its name', async () => {
    const url = '={{ "https://example.com/talks/Q3%20costs.mp3?key=1" }}'
    const [item] = await listen({ ...SRT, source: 'url', url }, [{ json: {} }])
    expect(nameOf(item)).toBe('Q3 costs.srt')
  })

  test('a stored recording gives its name', async () => {
    const stored = { id: 'file-1', object: 'file', bytes: 3, created_at: 0, filename: 'talk.mp3', purpose: 'audio' }
    given.upstream.on('GET /v1/files/{file_id}', json({ ...stored, status: 'processed' }))
    const result = { task: 't', duration: 1, text: 'Hello.', segments: SEGMENTS }
    given.upstream.on('POST /v1/audio/transcriptions', json(result))
    const items = await listen({ ...SRT, source: 'fileId', fileId: byId('file-1') }, [{ json: {} }, { json: {} }])
    expect(items.map(nameOf)).toEqual(['talk.srt', 'talk-2.srt'])
  })

  test('speech has the title of its item, and a number without one', async () => {
    const items = ['Bread / rolls', '', 'Trains', ''].map((title) => ({ json: title === '' ? {} : { title } }))
    const run = await given.engine.run([{ name: 'Speak', parameters: speech({ text: 'Hi' }) }], { items })
    expect(outputOf(run, 'Speak').map(nameOf)).toEqual(['Bread-rolls.wav', 'speech.wav', 'Trains.wav', 'speech-2.wav'])
  })

  test('a name that is set stays as it is', async () => {
    const items = await listen({ ...SRT, options: { fileName: '={{ "notes" }}' } }, FIVE.slice(0, 1))
    expect(items.map(nameOf)).toEqual(['notes.srt'])
  })
})

describe('the file of an item', () => {
  test('is found in whatever field it is, if it is the only one', async () => {
    const [item] = await listen({ responseFormat: 'srt' }, [recording('talk.mp3', 'Recording')])
    expect(item?.binary?.['data']?.fileName).toBe('talk.srt')
    expect(given.upstream.requests[0]?.form?.files).toMatchObject([{ filename: 'talk.mp3' }])
  })

  test('among several is named in the error', async () => {
    const binary = { ...recording('a.mp3', 'data0').binary, ...recording('b.mp3', 'data1').binary }
    const run = await given.engine.run([{ name: 'Listen', parameters: transcription() }], {
      items: [{ json: {}, binary }],
    })
    expect(errorOf(run, 'Listen')).toMatchObject({
      message: 'Input Data Field Name: the item has no file in the field "data", but in "data0", "data1" [item 0]',
      description: 'Enter one of these names.',
    })
  })
})

describe('Speaker Names', () => {
  test.each(['S01', 's1', 'S1', 'Speaker 1', 'speaker 01', 'Speaker1', '1', ' SPEAKER 1 '])(
    'accepts %j for the first speaker',
    async (label) => {
      const options = { speakerNames: { name: [{ label, name: 'Ann' }] } }
      const [item] = await listen({ responseFormat: 'speakers', options }, [recording('talk.mp3')])
      expect(textOf(item, 'text')).toMatch(/^Ann: .*\n\nSpeaker 2: /s)
    },
  )

  test('refuses words that are no speaker before any request', async () => {
    const options = { speakerNames: { name: [{ label: 'the boss', name: 'Ann' }] } }
    const parameters = transcription({ ...DIARIZED, options })
    const run = await given.engine.run([{ name: 'Listen', parameters }], { items: [recording('talk.mp3')] })
    expect(errorOf(run, 'Listen')?.message).toBe(
      'Speaker Names: must be a speaker of the transcript, such as Speaker 1, got "the boss" [item 0]',
    )
    expect(given.upstream.requests).toHaveLength(0)
  })
})
