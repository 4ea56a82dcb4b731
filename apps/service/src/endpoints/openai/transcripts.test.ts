import { describe, expect, test } from 'vitest'
import { mapForm } from './transcripts.ts'

const MODEL = { model: 'whisper-1' }

describe('a form of OpenAI', () => {
  test('becomes our body, with the model that takes keyterms and streams', () => {
    expect(mapForm({ ...MODEL, stream: 'true' }, { language: 'en' })).toEqual({
      body: { model: 'svc-transcribe-diarize-pro', diarize: false, stream: true, keyterms: [] },
      format: 'json',
      words: false,
      segments: true,
      ignored: [],
    })
  })

  test('separates speakers only with diarized_json, and for subtitles of a model with speakers', () => {
    const diarizes = (model: string, response_format: string): boolean =>
      mapForm({ model, response_format }, { language: 'en' }).body.diarize
    expect(diarizes('whisper-1', 'diarized_json')).toBe(true)
    expect(diarizes('whisper-1', 'srt')).toBe(false)
    for (const model of ['gpt-4o-transcribe-diarize', 'svc-transcribe-diarize-pro']) {
      expect(['json', 'srt', 'vtt', 'verbose_json'].map((format) => diarizes(model, format))).toEqual([
        false,
        true,
        true,
        false,
      ])
    }
  })

  test('passes keywords, and the phrases of a prompt, as keyterms', () => {
    const prompt = 'Names: Zyntriqix, Digique Plus. CynapseFive v2.1; and so on'
    const { body, ignored } = mapForm({ ...MODEL, prompt, 'keywords[]': ['Ann', 'Ben'] }, { language: 'en' })
    expect(body.keyterms).toEqual(['Ann', 'Ben', 'Names', 'Zyntriqix', 'Digique Plus', 'CynapseFive v2.1', 'and so on'])
    expect(ignored).toEqual([])
  })

  test('passes no more phrases of a prompt than our limit allows', () => {
    const prompt = Array.from({ length: 120 }, (_value, index) => `term${index}`).join(', ')
    const { body, ignored } = mapForm({ ...MODEL, prompt, keywords: 'Ann' }, { language: 'en' })
    expect(body.keyterms).toHaveLength(100)
    expect(ignored).toEqual(['prompt'])
  })

  test('passes a prompt and a temperature as they were written to a recognizer that takes them', () => {
    const prompt = 'Der ICE nach München, Frau Dr. Özdemir: sie kommt. '
    const form = { ...MODEL, prompt, temperature: '0.4', keywords: 'Ann', language: 'de-DE' }
    const asked: unknown[] = []
    const mapped = mapForm(form, {
      language: 'de',
      features(options) {
        asked.push(options)
        return ['prompt', 'temperature']
      },
    })
    expect(mapped).toMatchObject({ prompt, temperature: 0.4, body: { keyterms: ['Ann'] }, ignored: [] })
    expect(asked).toEqual([{ model: 'svc-transcribe-diarize-pro', language: 'de' }])
  })

  test.each(['True', 'true', 'TRUE'])('with stream=%s streams', (stream) => {
    expect(mapForm({ ...MODEL, stream }, { language: 'en' }).body.stream).toBe(true)
  })

  test('without a model has no model: our own rule refuses it', () => {
    expect(mapForm({}, { language: 'en' }).body.model).toBeUndefined()
  })
})

describe('ignored parameters', () => {
  const long = 'this is a long sentence of more than ten words that nobody would call a term'
  const rows: [fields: Record<string, string | string[]>, ignored: string[]][] = [
    [{ temperature: '0' }, ['temperature']],
    [{ 'include[]': 'logprobs' }, ['include']],
    [{ 'chunking_strategy[type]': 'server_vad', 'chunking_strategy[threshold]': '0.5' }, ['chunking_strategy']],
    [{ hotwords: 'x' }, ['hotwords']],
    [{ prompt: long }, ['prompt']],
    [{ model: 'svc-transcribe-1.0', prompt: 'order' }, ['prompt']],
    [{ 'timestamp_granularities[]': 'word' }, ['timestamp_granularities']],
    [{ 'timestamp_granularities[]': 'word', response_format: 'verbose_json' }, []],
    [{ language: 'fr' }, ['language']],
    [{ language: 'en-GB' }, []],
    [{ language: '' }, []],
    [{ languages: ['de', 'en'] }, []],
    [{ 'languages[]': ['de', 'fr'] }, ['languages']],
  ]
  test.each(rows)('of %o are %o', (fields, ignored) => {
    expect(mapForm({ ...MODEL, ...fields }, { language: 'en' }).ignored).toEqual(ignored)
  })

  test('are all languages of a recognizer that names none', () => {
    expect(mapForm({ ...MODEL, language: 'en' }, { language: undefined }).ignored).toEqual(['language'])
  })
})

describe('a refused parameter is named', () => {
  const rows: [fields: Record<string, string | string[]>, code: string, param: string][] = [
    [{ 'known_speaker_names[]': 'Ann' }, 'unsupported_field', 'known_speaker_names'],
    [{ response_format: 'docx' }, 'unsupported_response_format', 'response_format'],
    [{ temperature: '2' }, 'invalid_range', 'temperature'],
    [{ 'timestamp_granularities[]': 'letter' }, 'invalid_value', 'timestamp_granularities'],
    [{ model: ['a', 'b'] }, 'invalid_type', 'model'],
  ]
  test.each(rows)('%o is %s of %s', (fields, code, param) => {
    expect(() => mapForm({ ...MODEL, ...fields }, { language: 'en' })).toThrow(
      expect.objectContaining({ status: 400, code, param }),
    )
  })
})
