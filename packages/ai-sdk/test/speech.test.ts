import { createTestUpstream } from '@svc-audio/testing'
import { generateSpeech, NoSuchModelError } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { createSvcAudio, type SvcAudioSpeechOptions } from '../src/index.ts'
import { KEY, startUpstream } from './support/upstream.ts'

const FLASH = 'svc-tts-1.5-flash'
const PRO = 'svc-tts-1.0-pro'
const DESIGN = 'svc-voice-generator-1.0'

/** Warnings are data here, not lines of a log. */
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

describe('generateSpeech', () => {
  test('sends text, voice and format, and returns the audio with its type', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const speech = await generateSpeech({
      model: svcAudio.speech(FLASH),
      text: 'Hello.',
      voice: 'rms',
      outputFormat: 'FLAC',
    })
    expect(upstream.requests[0]?.json).toEqual({
      model: FLASH,
      input: 'Hello.',
      voice_id: 'rms',
      response_format: 'flac',
    })
    expect(speech.audio.mediaType).toBe('audio/flac')
    expect(speech.audio.uint8Array.length).toBeGreaterThan(40)
    expect(speech.warnings).toEqual([])
    const [response] = speech.responses
    expect(response).toMatchObject({ modelId: FLASH, headers: { 'content-type': 'audio/flac' } })
    expect(speech.providerMetadata).toMatchObject({ svcAudio: { contentType: 'audio/flac' } })
  })

  test('leaves the format to the service unless the call names one', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const speech = await generateSpeech({ model: svcAudio.speech(PRO), text: 'Hello.', voice: 'rms' })
    expect(upstream.requests[0]?.json).toEqual({ model: PRO, input: 'Hello.', voice_id: 'rms' })
    expect(speech.audio.format).toBe('mp3')
  })

  test('uses the voice of the provider for a call without one', async () => {
    const { upstream, svcAudio } = await startUpstream({ voice: 'slt' })
    await generateSpeech({ model: svcAudio.speech(PRO), text: 'Hello.' })
    expect(upstream.requests[0]?.json).toMatchObject({ voice_id: 'slt' })
  })

  test('names voice if neither the call nor the provider has one', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const speech = generateSpeech({ model: svcAudio.speech(PRO), text: 'Hello.' })
    await expect(speech).rejects.toMatchObject({ name: 'AI_InvalidArgumentError', argument: 'voice' })
    expect(upstream.requests).toEqual([])
  })

  test.each([undefined, 'wav'])(
    'applies speed and language through a stream, as a WAV, for format %s',
    async (format) => {
      const { upstream, svcAudio } = await startUpstream()
      const speech = await generateSpeech({
        model: svcAudio.speech(FLASH),
        text: 'Hello.',
        voice: 'rms',
        speed: 1.5,
        language: 'en',
        ...(format === undefined ? {} : { outputFormat: format }),
        providerOptions: { svcAudio: { expected_duration_sec: 2 } satisfies SvcAudioSpeechOptions },
      })
      expect(upstream.requests[0]?.json).toMatchObject({
        stream: true,
        speed: 1.5,
        language: 'en',
        expected_duration_sec: 2,
      })
      expect(speech.audio.mediaType).toBe('audio/wav')
      expect(speech.warnings).toEqual([])
    },
  )

  test('PCM comes with its sample rate', async () => {
    const { svcAudio } = await startUpstream()
    const speech = await generateSpeech({
      model: svcAudio.speech(FLASH),
      text: 'Hello.',
      voice: 'rms',
      outputFormat: 'pcm',
    })
    expect(speech.audio.mediaType).toBe('audio/pcm')
    expect(speech.audio.uint8Array.length).toBeGreaterThan(100)
    expect(speech.providerMetadata['svcAudio']).toMatchObject({
      sampleRate: expect.any(Number),
      channels: 1,
      bitDepth: 16,
    })
  })

  test.each([
    [FLASH, 'mp3'],
    [PRO, 'wav'],
  ])('%s as %s speaks at the usual speed with a warning', async (model, outputFormat) => {
    const { upstream, svcAudio } = await startUpstream()
    const call = { model: svcAudio.speech(model), text: 'Hello.', voice: 'rms', outputFormat }
    const speech = await generateSpeech({ ...call, speed: 2, language: 'de' })
    expect(upstream.requests[0]?.json).toEqual({
      model,
      input: 'Hello.',
      voice_id: 'rms',
      response_format: outputFormat,
    })
    expect(speech.warnings).toMatchObject([
      { type: 'unsupported', feature: 'speed' },
      { type: 'unsupported', feature: 'language' },
    ])
  })

  test('the usual speed and an automatic language need no stream and no warning', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const call = { model: svcAudio.speech(PRO), text: 'Hello.', voice: 'rms' }
    const { warnings } = await generateSpeech({ ...call, speed: 1, language: 'auto' })
    expect(upstream.requests[0]?.json).toEqual({ model: PRO, input: 'Hello.', voice_id: 'rms' })
    expect(warnings).toEqual([])
  })

  test('instructions for a voice without them are a warning that names the model for them', async () => {
    const { svcAudio } = await startUpstream()
    const call = { model: svcAudio.speech(FLASH), text: 'Hello.', voice: 'rms', instructions: 'calm' }
    const { warnings } = await generateSpeech(call)
    expect(warnings).toMatchObject([{ feature: 'instructions', details: expect.stringContaining(DESIGN) }])
  })

  test('instructions design a voice with the model for it', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const speech = await generateSpeech({
      model: svcAudio.speech(DESIGN),
      text: 'Hello.',
      instructions: 'a calm old man',
      voice: 'rms',
      outputFormat: 'wav',
      providerOptions: { svcAudio: { aigc_metadata: { enabled: true } } satisfies SvcAudioSpeechOptions },
    })
    expect(upstream.requests[0]).toMatchObject({
      path: '/v1/audio/voice/generations',
      json: { model: DESIGN, input: 'Hello.', instruction: 'a calm old man', response_format: 'wav' },
    })
    expect(speech.warnings).toMatchObject([{ feature: 'voice' }, { feature: 'providerOptions' }])
  })

  test('a design without instructions names them', async () => {
    const { svcAudio } = await startUpstream()
    const speech = generateSpeech({ model: svcAudio.speech(DESIGN), text: 'Hello.' })
    await expect(speech).rejects.toMatchObject({ argument: 'instructions' })
  })

  test('the marking is sent as the interface spells it', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const aigc_metadata = { enabled: true, content_propagator: 'Contoso', propagate_id: '7' }
    const svcOptions: SvcAudioSpeechOptions = { aigc_metadata }
    const call = { model: svcAudio.speech(FLASH), text: 'Hello.', voice: 'rms' }
    await generateSpeech({ ...call, providerOptions: { svcAudio: svcOptions, other: { ignored: true } } })
    expect(upstream.requests[0]?.json).toMatchObject({ aigc_metadata })
  })

  test('pauses become markers between sentences and paragraphs', async () => {
    const { upstream, svcAudio } = await startUpstream()
    await generateSpeech({
      model: svcAudio.speech(FLASH),
      text: 'One. Two.\n\nThree.\n',
      voice: 'rms',
      providerOptions: { svcAudio: { pauses: { sentenceSeconds: 0.3, paragraphSeconds: 1 } } },
    })
    expect(upstream.requests[0]?.json).toMatchObject({ input: 'One. [pause 0.3s] Two. [pause 1.0s] Three.' })
  })

  test('pauses for a model without markers are refused before the request', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const call = { model: svcAudio.speech(PRO), text: 'One. Two.', voice: 'rms' }
    const speech = generateSpeech({ ...call, providerOptions: { svcAudio: { pauses: { sentenceSeconds: 0.3 } } } })
    await expect(speech).rejects.toMatchObject({ name: 'AI_InvalidArgumentError', argument: 'text' })
    expect(upstream.requests).toEqual([])
  })

  test('Markdown is spoken as it is unless speakable is set', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const call = { model: svcAudio.speech(FLASH), text: '**Hello** 🎉 there.', voice: 'rms' }
    await generateSpeech(call)
    await generateSpeech({ ...call, providerOptions: { svcAudio: { speakable: true } } })
    expect(upstream.requests.map(({ json }) => Reflect.get(Object(json), 'input'))).toEqual([
      '**Hello** 🎉 there.',
      'Hello there.',
    ])
  })

  test.each([
    [{ aigc: {} }, 'did you mean'],
    [{ pauses: { sentenceSeconds: 11 } }, 'pauses.sentenceSeconds` must be from 0.1 to 10'],
    [{ speakable: 'yes' }, '`speakable` must be true or false'],
  ])('the provider option %j is refused by name', async (options, message) => {
    const { upstream, svcAudio } = await startUpstream()
    const call = { model: svcAudio.speech(FLASH), text: 'Hello.', voice: 'rms' }
    const speech = generateSpeech({ ...call, providerOptions: { svcAudio: options } })
    await expect(speech).rejects.toMatchObject({ name: 'AI_InvalidArgumentError' })
    await expect(speech).rejects.toThrow(message.startsWith('did') ? 'providerOptions.svcAudio: Unknown' : message)
    expect(upstream.requests).toEqual([])
  })
})

describe('the provider', () => {
  test('sends its headers, those of the call and the name of both programs', async () => {
    const { upstream, svcAudio } = await startUpstream({ headers: { 'x-team': 'a', 'x-call': 'provider' } })
    const call = { model: svcAudio.speech(FLASH), text: 'Hello.', voice: 'rms' }
    await generateSpeech({ ...call, headers: { 'X-Call': 'call', authorization: 'Bearer other' } })
    expect(upstream.requests[0]?.headers).toMatchObject({
      'x-team': 'a',
      'x-call': 'call',
      'user-agent': expect.stringMatching(/^ai\/7\S* svc-audio-ai-sdk$/),
    })
    expect(upstream.requests[0]?.authorized).toBe(true)
  })

  test('sends with the fetch that it is given', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(globalThis.fetch)
    const { svcAudio } = await startUpstream({ fetch })
    await generateSpeech({ model: svcAudio.speech(FLASH), text: 'Hello.', voice: 'rms' })
    expect(fetch).toHaveBeenCalledOnce()
  })

  test('reads key and address from the environment at the first call', async () => {
    await using upstream = await createTestUpstream({ apiKey: KEY })
    const svcAudio = createSvcAudio()
    const call = { model: svcAudio.speech(FLASH), text: 'Hello.', voice: 'rms' }
    await expect(generateSpeech(call)).rejects.toMatchObject({ name: 'ConfigurationError' })
    vi.stubEnv('SVC_AUDIO_API_KEY', KEY)
    vi.stubEnv('SVC_AUDIO_BASE_URL', upstream.url)
    try {
      await expect(generateSpeech(call)).resolves.toBeDefined()
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test.each([
    [{ apikey: 'k' }, 'createSvcAudio(): Unknown option `apikey`; did you mean `apiKey`?'],
    [{ voice: '' }, '`voice` must be'],
    [{ fetch: 'fetch' }, '`fetch` must be a function'],
    [{ client: {} }, '`client` must be an AudioClient of @svc-audio/core'],
    [{ client: { speech: {}, transcriptions: {} }, timeout: 5 }, '`timeout` has no effect with `client`'],
  ])('refuses the options %j', (options, message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- options of a program without types
    expect(() => createSvcAudio(options as object)).toThrow(message)
  })

  test('has no models of other kinds', async () => {
    const { svcAudio } = await startUpstream()
    for (const kind of ['languageModel', 'embeddingModel', 'imageModel'] as const) {
      expect(() => svcAudio[kind]('x')).toThrow(NoSuchModelError)
    }
  })
})
