import { createTestUpstream, json, type TestUpstream } from '@svc-audio/testing'
import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NODE_TYPE } from './support/engine.ts'
import { KEY, served } from './support/scripted.ts'

const given = served()

/** Asks for a list the way n8n's editor does. */
async function search(method: string, filter?: string, token?: string): Promise<INodeListSearchResult> {
  const { workflow, additionalData } = given.engine.prepare([{ name: 'Speak' }])
  const node = workflow.getNode('Speak')
  if (node === null) throw new Error('The workflow lacks its node')
  const context = new given.engine.core.LoadOptionsContext(workflow, node, additionalData, 'parameters.voice')
  const found = workflow.nodeTypes.getByNameAndVersion(NODE_TYPE).methods?.listSearch?.[method]
  if (found === undefined) throw new Error(`There is no list ${method}`)
  // n8n's class and its interface differ in whether a workflow must have a name.
  return found.call(context as unknown as ILoadOptionsFunctions, filter, token)
}

describe('of the real service', () => {
  test('the voices are listed by name, with their ids', async () => {
    const { results, paginationToken } = await search('searchVoices')
    expect(results.map(({ value }) => value)).toEqual(expect.arrayContaining(['rms', 'slt', 'awb']))
    expect(results.every(({ name }) => name !== '')).toBe(true)
    expect(paginationToken).toBeUndefined()
  })

  test('a filter finds voices whatever its case', async () => {
    expect((await search('searchVoices', 'RMS')).results.map(({ value }) => value)).toEqual(['rms'])
  })

  test('models that speak and models that listen are told apart', async () => {
    const speaking = (await search('searchSpeechModels')).results.map(({ value }) => String(value))
    const listening = (await search('searchTranscriptionModels')).results.map(({ value }) => String(value))
    expect(speaking).toContain('svc-tts-1.5-flash')
    expect(speaking.every((id) => id.startsWith('svc-tts-'))).toBe(true)
    expect(listening).toContain('svc-transcribe-1.0')
    expect(listening.every((id) => id.startsWith('svc-transcribe-'))).toBe(true)
  })
})

describe('that cannot be read', () => {
  afterEach(() => {
    given.engine.credentials = { apiKey: KEY, baseUrl: given.service.url }
  })

  test.each(['searchVoices', 'searchSpeechModels', 'searchFiles'])(
    '%s says why in the words of a run',
    async (list) => {
      given.engine.credentials = { apiKey: 'wrong-key-000', baseUrl: given.service.url }
      await expect(search(list)).rejects.toThrow(/^API Key: the service does not accept it\. Copy the key/)
      given.engine.credentials = { apiKey: KEY, baseUrl: 'http://127.0.0.1:1' }
      const refusal = await search(list).catch((error: unknown) => String(error))
      expect(refusal).not.toMatch(/perhaps it is offline|failed:/)
      expect(refusal).toMatch(/Base URL/)
    },
  )
})

describe('of another service', () => {
  const voice = (id: string, name: string): object => ({ id, object: 'audio.voice', name, created_at: 0 })
  const pages: Record<string, object> = {
    first: { object: 'list', data: [voice('v1', 'Ada')], has_more: true, next_cursor: 'c1' },
    c1: { object: 'list', data: [voice('v2', 'Grace')], has_more: true, next_cursor: 'c2' },
    c2: { object: 'list', data: [voice('v3', ''), voice('v4', 'Adam')], has_more: false },
  }

  let upstream: TestUpstream

  beforeEach(async () => {
    upstream = await createTestUpstream({
      apiKey: KEY,
      models: ['house-model', 'svc-ttsd-1.0', 'svc-voice-generator-1.0'],
    })
    upstream.on('GET /v1/audio/voices', ({ request }) => json(pages[request.query.get('after') ?? 'first']))
    given.engine.credentials = { apiKey: KEY, baseUrl: upstream.url }
  })

  afterEach(async () => {
    given.engine.credentials = { apiKey: KEY, baseUrl: given.service.url }
    await upstream.close()
  })

  test('pages follow each other by their cursor', async () => {
    expect(await search('searchVoices')).toEqual({ results: [{ name: 'Ada', value: 'v1' }], paginationToken: 'c1' })
    expect(await search('searchVoices', '', 'c2')).toEqual({
      results: [
        { name: 'v3', value: 'v3' },
        { name: 'Adam', value: 'v4' },
      ],
    })
  })

  test('a filter looks through all pages', async () => {
    const matches = [
      { name: 'Ada', value: 'v1' },
      { name: 'Adam', value: 'v4' },
    ]
    expect(await search('searchVoices', 'ada')).toEqual({ results: matches })
    expect(await search('searchVoices', 'nobody')).toEqual({ results: [] })
  })

  test('a voice is listed with its languages and gender, and a filter finds it by them', async () => {
    const data = [
      { ...voice('v1', 'Ada'), language: 'en', gender: 'female' },
      { ...voice('v2', 'Grace'), language: 'de', languages: ['de', 'nl'], gender: 'neutral' },
      voice('v3', ''),
    ]
    upstream.reset()
    upstream.on('GET /v1/audio/voices', json({ object: 'list', data, has_more: false }))
    const names = async (filter?: string): Promise<string[]> =>
      (await search('searchVoices', filter)).results.map(({ name }) => name)
    expect(await names()).toEqual(['Ada (en, female)', 'Grace (de, nl, neutral)', 'v3'])
    expect(await names('nl')).toEqual(['Grace (de, nl, neutral)'])
  })

  test('of 250 voices a filter finds every match', async () => {
    upstream.reset()
    const voices = Array.from({ length: 250 }, (_, index) => voice(`v${index}`, index % 25 === 0 ? `Ann ${index}` : ''))
    await using many = await createTestUpstream({ apiKey: KEY, voices: voices as never })
    given.engine.credentials = { apiKey: KEY, baseUrl: many.url }
    expect((await search('searchVoices', 'ann')).results).toHaveLength(10)
    const first = await search('searchVoices')
    const second = await search('searchVoices', '', String(first.paginationToken))
    expect(first.results.length + second.results.length).toBe(250)
    expect(second.paginationToken).toBeUndefined()
  })

  test('a model of unknown kind is listed for both', async () => {
    const only = { results: [{ name: 'house-model', value: 'house-model' }] }
    expect(await search('searchSpeechModels')).toEqual(only)
    expect(await search('searchTranscriptionModels')).toEqual(only)
  })
})
