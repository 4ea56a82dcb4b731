import { createTestUpstream, hold } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { errorOf, outputOf } from './support/engine.ts'
import { byId, speech, transcription } from './support/parameters.ts'
import { KEY, scripted } from './support/scripted.ts'

// An expression gives text where the form gives a number, a switch or a list.

const DIARIZE = byId('svc-transcribe-diarize-pro')
const FROM_URL = { source: 'url', url: 'https://example.com/a.wav', model: DIARIZE }

const given = scripted()

async function transcribe(options: object): Promise<{ sent: unknown; message: string | undefined }> {
  const parameters = transcription({ ...FROM_URL, options: options as never })
  const run = await given.engine.run([{ name: 'Listen', parameters }])
  return { sent: given.upstream.requests.at(-1)?.json, message: errorOf(run, 'Listen')?.message }
}

describe('given by expression', () => {
  test.each([
    ['text', '={{ "Fox,Brown" }}'],
    ['lines', '={{ "Fox\\nBrown" }}'],
    ['JSON', `={{ '["Fox", "Brown"]' }}`],
    ['an array', '={{ ["Fox", " Brown ", ""] }}'],
  ])('Key Terms as %s reach the service', async (_kind, keyterms) => {
    expect((await transcribe({ keyterms })).sent).toMatchObject({ keyterms: ['Fox', 'Brown'] })
  })

  test.each([
    ['={{ "false" }}', false],
    ['={{ false }}', false],
    ['={{ "TRUE" }}', true],
    ['={{ 1 }}', true],
  ])('Diarize as %s reaches the service', async (diarize, expected) => {
    expect((await transcribe({ diarize })).sent).toMatchObject({ diarize: expected })
  })

  test('Timeout as text ends the call', async () => {
    given.upstream.on('*', hold())
    expect((await transcribe({ timeout: '={{ "0.05" }}' })).message).toContain(
      'Timeout (Seconds): the work on this item took too long',
    )
  })

  test('Speed, Language and Expected Duration reach the stream', async () => {
    const options = { speed: '={{ "1.5" }}', expectedDuration: '={{ "4" }}', language: '={{ "en" }}' }
    const run = await given.engine.run([{ name: 'Speak', parameters: speech({ text: 'Hi', options }) }])
    expect(errorOf(run, 'Speak')).toBeUndefined()
    expect(given.upstream.requests[0]?.json).toMatchObject({
      stream: true,
      speed: 1.5,
      expected_duration_sec: 4,
      language: 'en',
    })
  })

  test('Limit and Return All bound the list', async () => {
    await using upstream = await createTestUpstream({ apiKey: KEY, voices: 200 })
    given.engine.credentials = { apiKey: KEY, baseUrl: upstream.url }
    const list = async (fields: object): Promise<number> => {
      const parameters = { resource: 'voice', operation: 'getAll', ...fields } as never
      return outputOf(await given.engine.run([{ name: 'List', parameters }]), 'List').length
    }
    expect(await list({ returnAll: '={{ "true" }}' })).toBe(200)
    expect(await list({ returnAll: '={{ "false" }}', limit: '={{ "7" }}' })).toBe(7)
  })
})

describe('a value that cannot be meant is refused before any request', () => {
  test.each([
    [{ timeout: '={{ "soon" }}' }, 'Timeout (Seconds): must be a number, got "soon" [item 0]'],
    [{ timeout: '={{ -1 }}' }, 'Timeout (Seconds): must be 0 or more, got -1 [item 0]'],
    [{ retries: '={{ 1.5 }}' }, 'Retries: must be a whole number, got 1.5 [item 0]'],
    [{ diarize: '={{ "perhaps" }}' }, 'Tell Speakers Apart: must be true or false, got "perhaps" [item 0]'],
    [
      { keyterms: '={{ [{ a: 1 }] }}' },
      'Key Terms: must be a list of texts, or texts separated by commas, got [{"a":1}] [item 0]',
    ],
    [
      { retryAmbiguous: '={{ "x" }}' },
      'Retry Even If the Work May Be Done Already: must be true or false, got "x" [item 0]',
    ],
  ])('%j', async (options, message) => {
    expect((await transcribe(options)).message).toBe(message)
    expect(given.upstream.requests).toHaveLength(0)
  })

  test('an output that does not exist names those that do', async () => {
    const parameters = transcription({ ...FROM_URL, responseFormat: '={{ "docx" }}' })
    const run = await given.engine.run([{ name: 'Listen', parameters }])
    expect(errorOf(run, 'Listen')?.message).toBe(
      'Output Format: must be one of json, markdown, text, speakers, srt, vtt, got "docx" [item 0]',
    )
  })
})
