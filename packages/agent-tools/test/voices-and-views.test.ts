import { AudioClient, type Voice } from '@svc-audio/core'
import { createTestUpstream, json, status, toneWav } from '@svc-audio/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSpeechOperations, memoryAudioStore, type SpeechToolsOptions } from '../src/index.ts'

const KEY = 'voices-key-0123456789'

const voice = (id: string, more: Partial<Voice> = {}): Voice => ({
  object: 'audio.voice',
  id,
  name: '',
  created_at: 0,
  ...more,
})

/** Tools against a scripted service, with a stored recording. */
async function start(
  options: Partial<SpeechToolsOptions> = {},
  upstreamOptions: Parameters<typeof createTestUpstream>[0] = {},
) {
  const upstream = await createTestUpstream({ apiKey: KEY, ...upstreamOptions })
  const client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url, maxRetries: 0 })
  onTestFinished(async () => {
    await client.close()
    await upstream.close()
  })
  const store = memoryAudioStore()
  const { id: audio } = await store.put(toneWav(3), { contentType: 'audio/wav' })
  const created = createSpeechOperations({ client, voice_id: 'rms', store, ...options })
  return { ...created.operations, chosen: created.chosen, upstream, audio }
}

describe('the voices of the service', () => {
  const voices = [
    voice('rms', { name: 'Rms', language: 'en', gender: 'male' }),
    voice('anna', { name: 'Anna', languages: ['de', 'de-AT'], gender: 'female', description: 'calm' }),
    voice('voice_1'),
  ]

  test('are listed with language, name, gender and description, behind those of the application', async () => {
    const own = [{ name: 'Ann', voice_id: 'slt', language: 'en' }]
    const { list_voices: list, chosen } = await start({ serviceVoices: true, voices: own }, { voices })
    const { content, artifact } = await list.run({})
    expect(content.split('\n')).toEqual([
      'Ann (en)',
      'rms (en): Rms, male',
      'anna (de, de-AT): Anna, female, calm',
      'voice_1',
    ])
    expect(artifact.voices[1]).toEqual({ name: 'rms', voice_id: 'rms', language: 'en', description: 'Rms, male' })
    expect(chosen).toContain('list_voices')
  })

  test.each([
    [{ search: 'CALM' }, ['anna']],
    [{ search: 'voice_' }, ['voice_1']],
    [{ language: 'de' }, ['anna']],
    [{ language: 'de-CH' }, ['anna']],
  ])('are found by %j', async (args, ids) => {
    const { list_voices: list } = await start({ serviceVoices: true }, { voices })
    const { artifact } = await list.run(args)
    expect(artifact.voices.map(({ name }) => name)).toEqual(ids)
  })

  test('that nobody has are called so', async () => {
    const { list_voices: list } = await start({ serviceVoices: true }, { voices })
    const { content } = await list.run({ language: 'en', search: 'female' })
    expect(content).toBe('No voice fits. Search for a shorter part of a name, or leave out the language.')
  })

  test('are listed up to thirty, with the number of the rest, over all pages', async () => {
    const { list_voices: list } = await start({ serviceVoices: true }, { voices: 200 })
    const { content, artifact } = await list.run({})
    expect(artifact.voices).toHaveLength(30)
    expect(content).toMatch(/\n\[170 more\. Search for a name or a language\.\]$/)
  })

  test('speak by their id, and in a dialogue', async () => {
    const { speak, speak_dialogue: dialogue, upstream } = await start({ serviceVoices: true }, { voices })
    await speak.run({ text: 'Hallo.', voice: ' anna ' })
    await dialogue.run({ lines: [{ voice: 'anna', text: 'Hallo.' }] })
    expect(upstream.requests.map(({ json: body }) => body)).toMatchObject([
      { voice_id: 'anna' },
      { speakers: [{ voice_id: 'anna' }] },
    ])
  })

  test('that the service does not know are the mistake of the model, which is told where to choose', async () => {
    const tools = await start({ serviceVoices: true, voices: [{ name: 'Ann', voice_id: 'gone' }] }, { voices })
    const { speak, speak_dialogue: dialogue, upstream } = tools
    const unknown = status(404, { error: { code: 'voice_not_found' } })
    upstream.on('POST /v1/audio/speech', unknown)
    upstream.on('POST /v1/audio/speech/speakers', unknown)
    const mistake = {
      code: 'invalid_arguments',
      message: 'There is no voice "Nora". Choose one that list_voices names.',
    }
    await expect(speak.run({ text: 'Hallo.', voice: 'Nora' })).rejects.toMatchObject(mistake)
    const lines = [
      { voice: 'Ann', text: 'Hallo.' },
      { voice: 'Nora', text: 'Hallo.' },
    ]
    await expect(dialogue.run({ lines })).rejects.toMatchObject(mistake)
    // The service does not say which.
    await expect(dialogue.run({ lines: [...lines, { voice: 'anna', text: 'Hallo.' }] })).rejects.toMatchObject({
      message: 'One of these voices does not exist: "Nora", "anna". Choose one that list_voices names.',
    })
    // The application chose these.
    const foreign = { code: 'misconfigured' }
    await expect(speak.run({ text: 'Hallo.' })).rejects.toMatchObject(foreign)
    await expect(speak.run({ text: 'Hallo.', voice: 'Ann' })).rejects.toMatchObject(foreign)
  })

  test('are no choice without the option: the tool lists those of the application and asks nothing', async () => {
    const { list_voices: list, upstream } = await start({ voices: [{ name: 'Ann', voice_id: 'slt' }] }, { voices })
    expect((await list.run({})).content).toBe('Ann')
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('a voice of a recording', () => {
  const tools = ['speak', 'list_voices', 'clone_voice'] as const

  test('is made of stored audio, and speak can use it', async () => {
    const { clone_voice: clone, speak, audio, upstream } = await start({ serviceVoices: true, tools })
    const { content, artifact } = await clone.run({ audio: `Reference: ${audio}`, name: 'Mine' })
    const [made] = artifact.voices
    expect(content).toBe(`The voice is ready. Its name for speak is ${made?.voice_id}.`)
    expect(upstream.requests[0]).toMatchObject({ route: 'POST /v1/audio/voices' })
    await speak.run({ text: 'Hello.', voice: made?.name })
    expect(upstream.requests.at(-1)?.json).toMatchObject({ voice_id: made?.voice_id })
  })

  test('is made of no URL', async () => {
    const { clone_voice: clone, upstream } = await start({ serviceVoices: true, tools })
    await expect(clone.run({ audio: 'https://example.com/a.wav', name: 'Mine' })).rejects.toMatchObject({
      code: 'audio_unreadable',
    })
    await expect(clone.run({ audio: 'a', name: ' ' })).rejects.toMatchObject({ code: 'invalid_arguments' })
    expect(upstream.requests).toHaveLength(0)
  })

  test('is offered only where its voice can be used', async () => {
    await expect(start({ tools: ['clone_voice'] })).rejects.toThrow(
      'tools has clone_voice, whose voices need serviceVoices',
    )
    expect((await start({ serviceVoices: true })).chosen).not.toContain('clone_voice')
  })
})

describe('a transcript', () => {
  const segments = [
    { type: 'transcript.text.segment' as const, id: 'a', start: 0, end: 1.5, speaker: 'S01', text: 'Good morning.' },
    { type: 'transcript.text.segment' as const, id: 'b', start: 2, end: 3, speaker: 'S02', text: 'Hello.' },
  ]

  test('is written as subtitles by the model that knows times', async () => {
    const { transcribe, audio, upstream } = await start({}, { segments })
    const { content, artifact } = await transcribe.run({ audio, format: 'srt' })
    expect(artifact.text).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nS01: Good morning.\n\n2\n00:00:02,000 --> 00:00:03,000\nS02: Hello.\n',
    )
    expect(content).toContain(artifact.text)
    expect(upstream.requests[0]?.form?.fields).toMatchObject({ model: ['svc-transcribe-diarize-pro'] })
  })

  test('has the names of its speakers, in text and in subtitles, for one transcription', async () => {
    const { transcribe, read_transcript: read, audio, upstream } = await start({}, { segments })
    const named = await transcribe.run({ audio, speakers: ['Ann', 'Ben'] })
    expect(named.content).toContain('Ann: Good morning.\nBen: Hello.')
    expect(named.artifact.segments?.map(({ speaker }) => speaker)).toEqual(['Ann', 'Ben'])
    const { artifact } = await transcribe.run({ audio, speakers: ['Ann'], format: 'vtt' })
    expect(artifact.text).toContain('<v Ann>Good morning.')
    expect(artifact.text).toContain('<v S02>Hello.')
    expect((await read.run({ reference: named.artifact.id, from: 5 })).content).toContain('Good morning.\nBen: Hello.')
    expect(upstream.requests).toHaveLength(1)
  })

  test('is made once for five calls at once in different forms, which each have their own', async () => {
    const { transcribe, audio, upstream } = await start({}, { segments })
    const forms = [
      { speakers: ['Ann', 'Ben'] },
      { format: 'srt' as const },
      { format: 'vtt' as const },
      { format: 'srt' as const, speakers: ['Ann'] },
      { speakers: ['Cid'] },
    ]
    const made = await Promise.all(forms.map((form) => transcribe.run({ audio, ...form })))
    expect(upstream.requests).toHaveLength(1)
    expect(new Set(made.map(({ artifact }) => artifact.id)).size).toBe(5)
    expect(made.map(({ content }) => /Ann|Cid/.exec(content)?.[0])).toEqual(['Ann', undefined, undefined, 'Ann', 'Cid'])
  })

  test('without times is no subtitles, and says so', async () => {
    const { transcribe, audio, upstream } = await start()
    upstream.on('POST /v1/audio/transcriptions', json({ text: 'Hello.' }))
    await expect(transcribe.run({ audio, format: 'srt' })).rejects.toMatchObject({
      code: 'rejected',
      message: 'The service gave no times for this audio, so there are no subtitles. Ask for the text instead.',
    })
  })

  test('of silence says that nothing was said, in every form', async () => {
    const { transcribe, audio, upstream } = await start()
    upstream.on('POST /v1/audio/transcriptions', json({ text: '', segments: [] }))
    const { content } = await transcribe.run({ audio, format: 'vtt' })
    expect(content).toBe('No words were recognized in this audio.')
  })
})
