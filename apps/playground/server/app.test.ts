import express from 'express'
import { afterEach, describe, expect, test } from 'vitest'
import { isPanelId, MAX_INTEGRATION_CHARACTERS, PANEL_IDS, type ServiceState } from '../shared/api.ts'
import { HttpError, type Listening, serve } from './http.ts'
import type { Upstream } from './upstream.ts'
import { AudioShelf, readIntegrationRequest } from './integrations/index.ts'
import { readStatus, retryService } from './app.ts'

let server: Listening | undefined
afterEach(() => server?.close())

describe('the shelf', () => {
  const audio = (byte: number): { bytes: Buffer; type: string } => ({ bytes: Buffer.from([byte]), type: 'audio/wav' })

  test('the shelf returns audio by an id that cannot be guessed', () => {
    const shelf = new AudioShelf()
    const ids = [shelf.put(audio(1)), shelf.put(audio(2))]
    expect(ids.map((id) => shelf.get(id)?.bytes[0])).toEqual([1, 2])
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/)
    expect(shelf.get('nothing')).toBeUndefined()
  })

  test('the shelf drops the oldest audio above 24', () => {
    const shelf = new AudioShelf()
    const ids = Array.from({ length: 30 }, (_, index) => shelf.put(audio(index)))
    expect(ids.map((id) => shelf.get(id)?.bytes[0])).toEqual([
      ...Array.from({ length: 6 }, () => undefined),
      ...Array.from({ length: 24 }, (_, index) => index + 6),
    ])
  })
})

describe('the body of a run', () => {
  const good = { text: 'Good morning.', voice: 'rms' }

  test('the body of a run is read without its other fields', () => {
    expect(readIntegrationRequest({ ...good, apiKey: 'x' })).toEqual(good)
  })

  test('the body of a run may have the longest text', () => {
    const text = 'a'.repeat(MAX_INTEGRATION_CHARACTERS)
    expect(readIntegrationRequest({ ...good, text })).toEqual({ ...good, text })
  })

  test.each([
    ['nothing', undefined, 'The text is empty'],
    ['null', null, 'The text is empty'],
    ['a list', ['Good morning.'], 'The text is empty'],
    ['a text', 'Good morning.', 'The text is empty'],
    ['a text of spaces', { ...good, text: ' \n ' }, 'The text is empty'],
    ['a number as text', { ...good, text: 7 }, 'The text is empty'],
    ['a long text', { ...good, text: 'a'.repeat(MAX_INTEGRATION_CHARACTERS + 1) }, 'longer than 300 characters'],
    ['an empty voice', { ...good, voice: '' }, 'choose a voice'],
    ['a voice that is no text', { ...good, voice: ['rms'] }, 'choose a voice'],
  ])('the body of a run that is %s is refused with the remedy', (_case, body, message) => {
    const read = (): unknown => readIntegrationRequest(body)
    expect(read).toThrow(message)
    expect(read).toThrow(expect.objectContaining({ status: 400, code: 'invalid_request' }))
    expect(read).toThrow(HttpError)
  })
})

describe('the status', () => {
  function upstream(states: ServiceState[], embedded: boolean): Upstream {
    return {
      baseUrl: 'http://127.0.0.1:1',
      apiKey: 'key-of-the-service',
      embedded,
      state: async () => states[0] ?? 'down',
      ready: async () => {},
      retry: () => void states.shift(),
      pid: () => 7,
      close: async () => {},
    }
  }

  async function start(service: Upstream): Promise<string> {
    const app = express().get('/status', readStatus(service)).post('/status', retryService(service))
    server = await serve(app)
    return `${server.url}/status`
  }

  test.each([true, false])(
    'has the state and the process, and never comes from a cache (embedded %s)',
    async (embedded) => {
      const response = await fetch(await start(upstream(['starting'], embedded)))
      expect(response.headers.get('cache-control')).toBe('no-store')
      const address = embedded ? {} : { address: 'http://127.0.0.1:1' }
      expect(await response.json()).toEqual({ service: 'starting', embedded, ...address, process: 7 })
    },
  )

  test('the status after Retry is that of the started service', async () => {
    const url = await start(upstream(['down', 'up'], true))
    expect(await (await fetch(url)).json()).toMatchObject({ service: 'down' })
    expect(await (await fetch(url, { method: 'POST' })).json()).toEqual({ service: 'up', embedded: true, process: 7 })
  })
})

describe('the id of a panel', () => {
  test.each(PANEL_IDS)('is %s', (id) => {
    expect(isPanelId(id)).toBe(true)
    // The server answers /:panel with the page, so an id is one part of a path.
    expect(encodeURIComponent(id)).toBe(id)
  })

  test.each(['', 'Speak', 'speak/', 'constructor', 'api', 'assets'])('is not %j', (text) => {
    expect(isPanelId(text)).toBe(false)
  })
})

test('a closed server ends connections that still wait for a response', async () => {
  const arrived = Promise.withResolvers<void>()
  const own = await serve(() => arrived.resolve())
  const waiting = fetch(own.url).then(
    () => 'answered',
    () => 'ended',
  )
  await arrived.promise
  await own.close()
  expect(await waiting).toBe('ended')
  await expect(fetch(own.url)).rejects.toThrow('fetch failed')
})
