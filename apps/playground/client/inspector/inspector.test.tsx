import { act, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeService, FakeStream } from '../test/fake-service.ts'
import { namesOf } from '../test/names.ts'
import { type Exchange, ExchangeLog, recordingFetch } from './exchange.ts'
import { Inspector, Timings } from './inspector.tsx'

const user = userEvent.setup({ delay: null })

const EXCHANGE: Exchange = {
  id: 1,
  method: 'POST',
  path: '/v1/audio/speech',
  began: new Date(0),
  requestHeaders: { authorization: 'Bearer $SVC_AUDIO_API_KEY' },
  requestBody: '{"input":"Hello"}',
  state: 'done',
  status: 200,
  responseHeaders: { 'content-type': 'application/json' },
  headersMs: 10,
  firstByteMs: 20,
  endMs: 40,
  bytes: 2_000,
  events: [],
  eventCount: 0,
  responseBody: '{"a":1}',
  error: undefined,
}

describe('the inspector', () => {
  let log: ExchangeLog
  beforeEach(() => {
    log = new ExchangeLog()
  })
  /** Adds requests, and waits until the log tells of them. */
  const add = (...exchanges: readonly Partial<Exchange>[]): void => {
    vi.useFakeTimers()
    for (const exchange of exchanges) log.add({ ...EXCHANGE, ...exchange })
    act(() => void vi.advanceTimersByTime(100))
    vi.useRealTimers()
  }
  const show = (...exchanges: readonly Partial<Exchange>[]): HTMLElement => {
    add(...exchanges)
    return render(<Inspector log={log} />).container
  }
  const detail = (container: HTMLElement): string => container.querySelector('.exchange')?.textContent ?? ''

  test('the inspector without a request says what will appear', () => {
    show()
    expect(screen.getByText('No request yet')).toBeDefined()
  })

  test('the inspector shows the latest request, with its key hidden and its bodies', () => {
    const text = detail(show({ path: '/v1/models' }, {}))
    expect(text).toContain('POST /v1/audio/speech')
    expect(text).toContain('Bearer $SVC_AUDIO_API_KEY')
    expect(text).toContain('HTTP 200 · 2 KB')
    expect(text).toContain('{\n  "a": 1\n}')
  })

  test('the inspector stays on a request that was chosen while others come', async () => {
    const container = show({ path: '/v1/models' }, {})
    const list = within(screen.getByRole('list', { name: 'Requests' }))
    await user.click(list.getByRole('button', { name: /models/ }))
    add({ path: '/v1/files' })
    expect(detail(container)).toContain('POST /v1/models')
    expect(list.getAllByRole('button').map((one) => one.getAttribute('aria-current'))).toEqual([
      'false',
      'false',
      'true',
    ])
  })

  test('the inspector goes back to the latest when the chosen one has left the log', async () => {
    const container = show({ path: '/v1/models' }, {})
    await user.click(screen.getByRole('button', { name: /models/ }))
    add(...Array.from({ length: 30 }, (_, index) => ({ path: `/v1/files/${index}` })))
    expect(detail(container)).toContain('POST /v1/files/29')
  })

  test.each([
    [{ state: 'open', status: undefined }, '…', 'open'],
    [{ state: 'open', status: 200 }, '200', 'open'],
    [{ state: 'done', status: 204 }, '204', 'good'],
    [{ state: 'done', status: 429 }, '429', 'bad'],
    [{ state: 'failed', status: undefined }, 'failed', 'bad'],
    [{ state: 'aborted', status: 200 }, '200', 'bad'],
  ] as const)('a request %j is marked %s', (exchange, text, tone) => {
    const status = show(exchange).querySelector<HTMLElement>('.exchange-status')
    expect([status?.textContent, status?.dataset['tone']]).toEqual([text, tone])
  })

  test('the inspector says why there is no complete response', () => {
    expect(detail(show({ state: 'failed', status: undefined, error: 'fetch failed', responseBody: '' }))).toContain(
      'fetch failed',
    )
    expect(detail(show({ state: 'aborted', responseBody: '' }))).toContain('You stopped this request.')
  })

  test('the inspector copies the body of the request and of the response, where there is one', () => {
    show({ requestBody: undefined })
    expect(namesOf('button').filter((name) => name.startsWith('Copy'))).toEqual([
      'Copy as curl for this request',
      'Copy the body of the Response',
    ])
  })

  test('the inspector offers no command for a form, and saves no part of a long response', () => {
    show({ requestBody: 'multipart/form-data, 12 bytes', responseBody: 'x'.repeat(20_000) })
    expect(namesOf('button').filter((name) => /curl|Save/.test(name))).toEqual(['Save all as HAR'])
  })

  test('the inspector saves a response, and all requests as HAR', async () => {
    const saved: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      saved.push(this.download)
    })
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }))
    show({})
    for (const name of ['Save', 'Save all as HAR']) await user.click(screen.getByRole('button', { name }))
    expect(saved).toEqual(['response-1.json', 'svc-audio.har'])
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  test('lists the events, and says how many it does not hold', () => {
    const events = [
      { atMs: 5, type: 'speech.created', data: '{"type":"speech.created"}', bytes: 20 },
      { atMs: 1500, type: 'speech.audio.done', data: '{}', bytes: 2 },
    ]
    const container = show({ events, eventCount: 500 })
    const items = Array.from(container.querySelectorAll('.event-list li'), ({ textContent }) => textContent)
    expect(items).toEqual(['5 msspeech.created{"type":"speech.created"}', '1.5 sspeech.audio.done{}'])
    expect(detail(container)).toContain('Events2 of 500')
  })

  test('the inspector follows a stream while it arrives', async () => {
    const stream = new FakeStream()
    new FakeService().answer('POST /v1/audio/speech', stream.response).install()
    const container = show()
    const response = await recordingFetch(log)('/api/v1/audio/speech', { method: 'POST' })
    const read = response.text()
    await act(async () => stream.send({ type: 'speech.created' }))
    expect(await screen.findByText('speech.created')).toBeDefined()
    expect(container.querySelector('.exchange-status')?.getAttribute('data-tone')).toBe('open')
    await act(async () => {
      stream.send({ type: 'speech.audio.done' }).end()
      await read
    })
    expect(await screen.findByText('speech.audio.done')).toBeDefined()
    await expect.poll(() => container.querySelector('.exchange-status')?.getAttribute('data-tone')).toBe('good')
  })
})

describe('the timings', () => {
  const bars = (change: Partial<Exchange>): string[] => {
    const { container } = render(<Timings exchange={{ ...EXCHANGE, ...change }} />)
    return Array.from(container.querySelectorAll('dl > div'), (row) => {
      const share = row.querySelector<HTMLElement>('.timing-bar')?.style.getPropertyValue('--share')
      return `${row.textContent} ${share}`
    })
  }

  test('the timings are bars on the scale of the whole request', () => {
    expect(bars({})).toEqual(['Headers10 ms 25%', 'First byte20 ms 50%', 'Complete40 ms 100%'])
  })

  test('the timings of a stream show its first content, on the scale of its last event until it ends', () => {
    const events = [
      { atMs: 20, type: 'speech.created', data: '', bytes: 0 },
      { atMs: 30, type: 'speech.audio.delta', data: '', bytes: 0 },
      { atMs: 60, type: 'speech.audio.delta', data: '', bytes: 0 },
    ]
    expect(bars({ events, endMs: undefined, headersMs: 15 })).toEqual([
      'Headers15 ms 25%',
      'First byte20 ms 33.33333333333333%',
      'First content30 ms 50%',
      'Complete– 0%',
    ])
  })

  test('the timings of a request without a response are empty', () => {
    expect(bars({ headersMs: undefined, firstByteMs: undefined, endMs: undefined })).toEqual([
      'Headers– 0%',
      'First byte– 0%',
      'Complete– 0%',
    ])
  })
})
