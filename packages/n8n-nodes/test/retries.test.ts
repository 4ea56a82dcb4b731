import { cut, type Exchange, hold, type HttpReply, status } from '@svc-audio/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { billed } from '../test-n8n/check-bill.ts'
import { errorOf, outputOf, type TestNode } from './support/engine.ts'
import { byId, speech, transcription } from './support/parameters.ts'
import { KEY, scripted, startTestService } from './support/scripted.ts'

const ROUTE = 'POST /v1/audio/speech'
const FIVE = Array.from({ length: 5 }, (_, index) => ({ json: { text: `Sentence ${index}.` } }))
const LAST = 'The train to the coast leaves at seven in the morning, and comes back at nine in the evening.'
const ONE = FIVE.slice(0, 1)
const BUSY = status(503, { headers: { 'retry-after': '0' } })

const given = scripted()

function speak(options: Record<string, unknown> = {}): { name: string; parameters: ReturnType<typeof speech> } {
  return { name: 'Speak', parameters: speech({ text: '={{ $json.text }}', options: options as never }) }
}

describe('Retries', () => {
  test('repeat the item that failed, and no other', async () => {
    given.upstream.next(ROUTE, BUSY)
    const run = await given.engine.run([speak()], { items: FIVE })
    expect(errorOf(run, 'Speak')).toBeUndefined()
    expect(outputOf(run, 'Speak')).toHaveLength(5)
    expect(given.upstream.requests).toHaveLength(6)
  })

  test('repeat it with On Error: Continue too', async () => {
    given.upstream.next(ROUTE, BUSY, BUSY)
    const run = await given.engine.run([{ ...speak(), onError: 'continueRegularOutput' }], { items: FIVE })
    expect(outputOf(run, 'Speak').every(({ binary }) => binary !== undefined)).toBe(true)
    expect(given.upstream.requests).toHaveLength(7)
  })

  test.each([0, '0', '={{ 0 }}'])('of %j send each item once', async (retries) => {
    given.upstream.on(ROUTE, BUSY)
    const run = await given.engine.run([speak({ retries })], { items: ONE })
    expect(errorOf(run, 'Speak')).toMatchObject({ httpCode: '503' })
    expect(given.upstream.requests).toHaveLength(1)
  })

  test('carry one idempotency key per item, so that a service does the work once', async () => {
    given.upstream.next(ROUTE, BUSY)
    await given.engine.run([speak()], { items: FIVE.slice(0, 2) })
    const keys = given.upstream.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(keys[0]).toBe(keys[1])
    expect(keys[2]).not.toBe(keys[0])
  })

  test('are not made where the service may have done the work', async () => {
    given.upstream.next(ROUTE, status(500))
    const run = await given.engine.run([speak()], { items: ONE })
    expect(errorOf(run, 'Speak')).toMatchObject({ httpCode: '500' })
    expect(given.upstream.requests).toHaveLength(1)
  })

  test('are made there with Retry Even If the Work May Be Done Already', async () => {
    given.upstream.next(ROUTE, status(500))
    const run = await given.engine.run([speak({ retryAmbiguous: '={{ "true" }}' })], { items: ONE })
    expect(errorOf(run, 'Speak')).toBeUndefined()
    expect(given.upstream.requests).toHaveLength(2)
  })
})

describe('with Service Does Not Repeat Work in the credentials', () => {
  beforeEach(() => {
    given.engine.credentials = { ...given.engine.credentials, idempotencyKeys: true }
  })

  test('a status 500 is repeated by default, with the same key', async () => {
    given.upstream.next(ROUTE, status(500))
    const run = await given.engine.run([speak()], { items: ONE })
    expect(errorOf(run, 'Speak')).toBeUndefined()
    const keys = given.upstream.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
  })

  test('a status 500 is not repeated with Retry Even If the Work May Be Done Already off', async () => {
    given.upstream.next(ROUTE, status(500))
    const run = await given.engine.run([speak({ retryAmbiguous: '={{ "false" }}' })], { items: ONE })
    expect(errorOf(run, 'Speak')).toMatchObject({ httpCode: '500' })
    expect(given.upstream.requests).toHaveLength(1)
  })
})

describe('audio that is cut in the middle', () => {
  const CUT = cut({ afterBytes: 500 })

  test('is requested again with the same key, where the service does repeated work once', async () => {
    given.engine.credentials = { ...given.engine.credentials, idempotencyKeys: true }
    given.upstream.next(ROUTE, CUT, CUT)
    const run = await given.engine.run([speak()], { items: ONE })
    expect(errorOf(run, 'Speak')).toBeUndefined()
    const [item, ...others] = outputOf(run, 'Speak')
    expect(others).toEqual([])
    expect((await given.engine.bytesOf(item, 'data')).byteLength).toBe(item?.json['bytes'])
    const keys = given.upstream.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
  })

  test('is requested again with Retry Even If the Work May Be Done Already', async () => {
    given.upstream.next(ROUTE, CUT)
    const run = await given.engine.run([speak({ retryAmbiguous: true })], { items: ONE })
    expect(errorOf(run, 'Speak')).toBeUndefined()
    expect(given.upstream.requests).toHaveLength(2)
  })

  test('is requested no more often than Retries says', async () => {
    given.upstream.on(ROUTE, CUT)
    const run = await given.engine.run([speak({ retryAmbiguous: true, retries: 1 })], { items: ONE })
    expect(errorOf(run, 'Speak')).toMatchObject({ message: 'The response of the service arrived incomplete [item 0]' })
    expect(given.upstream.requests).toHaveLength(2)
  })

  test('is an error where the service may bill it again', async () => {
    given.upstream.next(ROUTE, CUT)
    const run = await given.engine.run([speak()], { items: ONE })
    expect(errorOf(run, 'Speak')).toMatchObject({ message: 'The response of the service arrived incomplete [item 0]' })
    expect(given.upstream.requests).toHaveLength(1)
  })
})

describe('Items at Once', () => {
  test('is one by default', async () => {
    await given.engine.run([speak()], { items: FIVE })
    expect(given.upstream.mostAtOnce).toBe(1)
  })

  test('keeps the order of the items', async () => {
    const both = Promise.withResolvers<void>()
    given.upstream.next(ROUTE, async (exchange) => {
      await both.promise
      return repeat(exchange)
    })
    given.upstream.on(ROUTE, (exchange) => {
      both.resolve()
      return repeat(exchange)
    })
    const run = await given.engine.run([speak({ itemsAtOnce: '2' })], { items: FIVE })
    const output = outputOf(run, 'Speak')
    const bodies = await Promise.all(output.map((item) => given.engine.bytesOf(item, 'data')))
    expect(bodies.map(String)).toEqual(FIVE.map(({ json }) => json.text))
    expect(output.map(({ pairedItem }) => pairedItem)).toEqual(FIVE.map((_, item) => ({ item })))
    expect(given.upstream.mostAtOnce).toBe(2)
  })

  test('aborts what is in flight when an item fails', async () => {
    given.upstream.on(ROUTE, hold())
    given.upstream.next(ROUTE, hold(), async () => {
      await given.upstream.waitForRequest(undefined)
      return status(400, { error: { message: 'No' } })
    })
    const run = await given.engine.run([speak({ itemsAtOnce: 2 })], { items: FIVE })
    expect(errorOf(run, 'Speak')).toMatchObject({ httpCode: '400', context: { itemIndex: 1 } })
    expect(given.upstream.requests).toHaveLength(2)
    expect(await given.upstream.requests[0]?.closed()).toBe('closedByClient')
  })

  test.each([0, 'many', 1.5])('of %j is refused before any request', async (itemsAtOnce) => {
    const run = await given.engine.run([speak({ itemsAtOnce })], { items: FIVE })
    expect(errorOf(run, 'Speak')?.message).toContain('Items at Once: must be a whole number from 1 to 64')
    expect(given.upstream.requests).toHaveLength(0)
  })
})

/** A response that repeats its text. */
async function repeat(exchange: Exchange): Promise<HttpReply> {
  await exchange.received()
  const { input } = exchange.request.json as { input: string }
  return { headers: { 'content-type': 'audio/wav' }, body: input }
}

describe("n8n's own Retry On Fail", () => {
  const keys = (): unknown[] => given.upstream.requests.map(({ headers }) => headers['idempotency-key'])
  const FAILS_ONCE = [status(400, { error: { message: 'No' } })]

  test('repeats a run with the same keys, so that a service does the work of each item once', async () => {
    given.upstream.next(ROUTE, repeat, ...FAILS_ONCE)
    const run = await given.engine.run([{ ...speak(), maxTries: 3 }], { items: FIVE.slice(0, 2) })
    expect(outputOf(run, 'Speak')).toHaveLength(2)
    const [first, second, ...again] = keys()
    expect(again).toEqual([first, second])
    expect(first).not.toBe(second)
  })

  test('gives a task the same key', async () => {
    given.upstream.next(ROUTE, ...FAILS_ONCE)
    const parameters = { ...speech({ text: 'Hi' }), operation: 'startTask' }
    const run = await given.engine.run([{ name: 'Speak', parameters, maxTries: 2 }])
    expect(errorOf(run, 'Speak')).toBeUndefined()
    expect(keys()).toHaveLength(2)
    expect(new Set(keys()).size).toBe(1)
  })

  test('another run, another text and another node have another key', async () => {
    const other = { ...speak(), name: 'Other' }
    await given.engine.run([speak()], { items: ONE })
    await given.engine.run([speak()], { items: ONE })
    await given.engine.run([other], { items: ONE })
    await given.engine.run([speak()], { items: FIVE.slice(1, 2) })
    expect(new Set(keys()).size).toBe(4)
    for (const key of keys()) expect(key).toMatch(/^n8n-[\da-f]{64}$/)
  })

  test('is not billed anew: the real service counts each text, task and recording once', async () => {
    await using service = await startTestService()
    given.engine.credentials = { apiKey: KEY, baseUrl: service.url }
    const body = { model: 'svc-tts-1.5-flash', input: 'There is fresh bread.', voice_id: 'rms' }
    const wav = await service.direct.speech.create({ ...body, response_format: 'wav' }).then((audio) => audio.bytes())
    const { binary } = await given.engine.store(Buffer.from(wav))
    const before = await billed(service.url)
    // the first two items are done in each try, and the third fails in each
    const items = ['Good morning.', 'Good night.'].map((text) => ({ json: { text, voice: 'rms' }, binary }))
    const failing = { json: { text: 'Nobody says this.', voice: 'nobody' } }
    const voice = byId('={{ $json.voice }}')
    const nodes: TestNode[] = [
      { name: 'Speak', parameters: speech({ text: '={{ $json.text }}', voice }) },
      { name: 'Start', parameters: { ...speech({ text: '={{ $json.text }}', voice }), operation: 'startTask' } },
      { name: 'Listen', parameters: transcription() },
    ]
    for (const node of nodes) {
      const run = await given.engine.run([{ ...node, maxTries: 3 }], { items: [...items, failing] })
      expect(errorOf(run, node.name)?.message).toContain('[item 2]')
    }
    // a task that is started now ends after those of the runs
    const last = await service.direct.speech.createTask({ ...body, input: LAST })
    await service.direct.tasks.wait(last.id, { pollInterval: 20 })
    const after = await billed(service.url)
    const spent = (measure: string): number => (after[measure] ?? 0) - (before[measure] ?? 0)
    const characters = items.reduce((sum, { json }) => sum + json.text.length, 0)
    expect(spent('characters')).toBe(2 * characters + LAST.length)
    expect(spent('recording_seconds')).toBeCloseTo(2 * ((wav.byteLength - 44) / 32_000), 1)
  })
})
