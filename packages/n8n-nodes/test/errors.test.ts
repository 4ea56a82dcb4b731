import {
  type ScriptedResponse,
  createTestUpstream,
  cut,
  early,
  hold,
  redirect,
  status,
  type TestUpstream,
} from '@svc-audio/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { errorOf, outputOf } from './support/engine.ts'
import { byId, speech, transcription } from './support/parameters.ts'
import { KEY, served } from './support/scripted.ts'

const SPEAK = { name: 'Speak', parameters: speech({ text: 'Good morning.' }) }

const given = served()
let upstream: TestUpstream | undefined

afterEach(async () => {
  given.engine.credentials = { apiKey: KEY, baseUrl: given.service.url }
  await upstream?.close()
  upstream = undefined
})

async function respondWith(answer: ScriptedResponse): Promise<TestUpstream> {
  upstream = (await createTestUpstream({ apiKey: KEY })).on('*', answer)
  given.engine.credentials = { apiKey: KEY, baseUrl: upstream.url }
  return upstream
}

describe('an error of the service', () => {
  test('an error of the service is a NodeApiError with its message, status and item', async () => {
    const parameters = speech({ text: 'Good morning.', voice: byId('nobody') })
    const run = await given.engine.run([{ name: 'Speak', parameters }])
    expect(run.status).toBe('error')
    expect(errorOf(run, 'Speak')).toMatchObject({
      name: 'NodeApiError',
      httpCode: '404',
      message: expect.stringMatching(/^Voice: .*nobody.* \[item 0\]$/),
      description: expect.stringMatching(
        /^Choose a voice from the list, or use the ID that Get Many of Voice outputs\. \(status 404, code voice_not_found, request /,
      ),
      context: { itemIndex: 0 },
    })
  })

  test('an error of the service never holds the key, whatever the service repeats', async () => {
    await respondWith(({ message }) => {
      const error = { message: `Unknown key ${KEY}`, header: message.headers.authorization }
      return status(401, { body: { error } })
    })
    const run = await given.engine.run([SPEAK])
    expect(errorOf(run, 'Speak')).toMatchObject({ name: 'NodeApiError', httpCode: '401' })
    expect(errorOf(run, 'Speak')?.['description']).toContain('The service says: Unknown key [API key]')
    expect(JSON.stringify(run)).not.toContain(KEY)
  })

  test('an error of the service that may pass says so', async () => {
    await respondWith(status(503, { headers: { 'retry-after': '0' }, error: { message: 'Busy' } }))
    const description = errorOf(await given.engine.run([SPEAK]), 'Speak')?.['description']
    expect(description).toMatch(/raise the option Retries\. The service says: Busy \(.*retry after 0 seconds\)$/)
  })

  test('an error of the service after which the work may be done says that it may be billed twice', async () => {
    await respondWith(status(500, { error: { message: 'Lost' } }))
    const description = errorOf(await given.engine.run([SPEAK]), 'Speak')?.['description']
    expect(description).toMatch(/Run the workflow again\. .*it may bill it twice\./)
    expect(description).not.toContain('Retries')
  })

  test('an error of the service that comes while the upload is still going on is the error that is shown', async () => {
    await respondWith(early(status(413, { error: { message: 'Too much' } })))
    const data = Buffer.alloc(8 * 1024 * 1024).toString('base64')
    const items = [{ json: {}, binary: { data: { data, mimeType: 'audio/wav' } } }]
    const run = await given.engine.run([{ name: 'Listen', parameters: transcription() }], { items })
    expect(errorOf(run, 'Listen')).toMatchObject({ name: 'NodeApiError', httpCode: '413' })
  })
})

describe('without a response', () => {
  test('a service that is not there is a NodeApiError without the key', async () => {
    await respondWith(status(500))
    await upstream?.close()
    const run = await given.engine.run([SPEAK])
    expect(errorOf(run, 'Speak')).toMatchObject({
      name: 'NodeApiError',
      message: 'Base URL: no service runs at this address [item 0]',
    })
    expect(JSON.stringify(run)).not.toContain(KEY)
  })

  test('audio that is cut is an error, never a shorter file', async () => {
    await respondWith(cut({ afterBytes: 500 }))
    const run = await given.engine.run([SPEAK])
    expect(outputOf(run, 'Speak')).toEqual([])
    expect(errorOf(run, 'Speak')).toMatchObject({
      name: 'NodeApiError',
      message: expect.stringContaining('arrived incomplete'),
    })
  })

  test('the deadline of the options ends the call and its connection', async () => {
    const { requests } = await respondWith(hold())
    const run = await given.engine.run([{ name: 'Speak', parameters: speech({ text: 'Hi', options: { timeout: 2 } }) }])
    expect(errorOf(run, 'Speak')).toMatchObject({
      name: 'NodeApiError',
      message: expect.stringContaining('took too long'),
    })
    expect(await requests[0]?.closed()).toBe('closedByClient')
  })

  test('a redirect is not followed, so that the key stays where it belongs', async () => {
    await using elsewhere = await createTestUpstream({ apiKey: KEY })
    await respondWith(redirect(elsewhere.url))
    expect(errorOf(await given.engine.run([SPEAK]), 'Speak')).toMatchObject({ name: 'NodeApiError', httpCode: '307' })
    expect(elsewhere.requests).toHaveLength(0)
  })
})

describe('a mistake in the form', () => {
  test.each([
    ['no text', { text: ' ' }, 'Text: is required [item 0]'],
    ['no voice', { text: 'Hi', voice: byId("={{ '' }}") }, 'Voice: is required [item 0]'],
    ['a pause that is too long', { text: '[pause 11s]' }, 'Text: [pause 11s] is outside'],
  ])('%s is a NodeOperationError, and nothing is sent', async (_name, fields, message) => {
    const { requests } = await respondWith(status(500))
    const error = errorOf(await given.engine.run([{ name: 'Speak', parameters: speech(fields) }]), 'Speak')
    expect(error).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 0 } })
    expect(error?.message).toContain(message)
    expect(requests).toHaveLength(0)
  })

  test('a mistake in the form credentials without a usable address are a NodeOperationError', async () => {
    given.engine.credentials = { apiKey: KEY, baseUrl: 'my service' }
    const run = await given.engine.run([SPEAK])
    expect(errorOf(run, 'Speak')).toMatchObject({
      name: 'NodeOperationError',
      message: expect.stringMatching(/^Base URL: must be .* \[item 0\]$/),
    })
  })
})

describe('with "On Error: Continue"', () => {
  const items = [{ json: { text: 'Good morning.' } }, { json: { text: '' } }, { json: { text: 'Good night.' } }]
  const parameters = speech({ text: '={{ $json.text }}' })

  test('a failed item is replaced by its error, the others are spoken', async () => {
    const run = await given.engine.run([{ name: 'Speak', parameters, onError: 'continueRegularOutput' }], { items })
    const output = outputOf(run, 'Speak')
    expect(output.map(({ binary }) => binary !== undefined)).toEqual([true, false, true])
    expect(output[1]?.json).toEqual({
      error: 'Text: is required [item 1]',
      description: 'Fill in the field, or check its expression.',
      code: 'invalid_field',
      field: 'Text',
    })
    expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }])
  })

  test('an item that the service refuses tells status, code and field', async () => {
    await respondWith(status(400, { error: { code: 'invalid_range', message: 'speed: too fast', param: 'speed' } }))
    const run = await given.engine.run([{ ...SPEAK, onError: 'continueRegularOutput' }])
    expect(outputOf(run, 'Speak')[0]?.json).toEqual({
      error: 'Speed: too fast [item 0]',
      description: expect.stringMatching(/^Change Speed, or check its expression\. \(status 400, code invalid_range/),
      status: 400,
      code: 'invalid_range',
      field: 'Speed',
    })
  })

  test('using the error output, a failed item leaves there', async () => {
    const run = await given.engine.run([{ name: 'Speak', parameters, onError: 'continueErrorOutput' }], { items })
    const [spoken, failed] = run.data.resultData.runData['Speak']?.[0]?.data?.['main'] ?? []
    expect(spoken).toHaveLength(2)
    expect(failed?.map(({ json }) => json)).toEqual([
      {
        text: '',
        error: 'Text: is required [item 1]',
        details: {
          description: 'Fill in the field, or check its expression.',
          code: 'invalid_field',
          field: 'Text',
        },
      },
    ])
  })
})
