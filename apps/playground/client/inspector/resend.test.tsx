import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type Exchange, ExchangeLog, UNANSWERED } from './exchange.ts'
import { FakeService } from '../test/fake-service.ts'
import { button } from '../test/names.ts'
import { renderPart, type Stage } from '../test/render-panel.tsx'
import { Inspector } from './inspector.tsx'

const SPEECH = 'POST /v1/audio/speech'
const BODY = { model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'rms' }
const SENT: Omit<Exchange, 'id'> = {
  ...UNANSWERED,
  method: 'POST',
  path: '/v1/audio/speech',
  began: new Date(),
  requestHeaders: { 'idempotency-key': 'first' },
  requestBody: JSON.stringify(BODY),
  state: 'done',
  status: 200,
}

function show(change: Partial<Exchange> = {}): { stage: Stage; service: FakeService; log: ExchangeLog } {
  const service = new FakeService().json(SPEECH, { error: { code: 'invalid_range', message: 'speed' } }, 400)
  const log = new ExchangeLog()
  log.add({ ...SENT, ...change })
  return { stage: renderPart(<Inspector log={log} />, { service }), service, log }
}

test('a request is sent again with changes, without its idempotency key, and is in the list with its response', async () => {
  const { stage, service, log } = show()
  const body = await screen.findByLabelText<HTMLTextAreaElement>('Body')
  expect(JSON.parse(body.value)).toEqual(BODY)
  fireEvent.change(body, { target: { value: JSON.stringify({ ...BODY, speed: 9 }) } })
  await stage.user.click(button('Send'))
  await waitFor(() => expect(log.get()[0]).toMatchObject({ status: 400, state: 'done' }))
  expect(service.last(SPEECH).body).toEqual({ ...BODY, speed: 9 })
  expect(log.get()[0]?.requestHeaders).not.toHaveProperty('idempotency-key')
  expect(log.get()[0]?.responseBody).toContain('invalid_range')
})

test('a body that is not JSON cannot be sent, and the page says why', async () => {
  show()
  fireEvent.change(await screen.findByLabelText('Body'), { target: { value: '{"input":' } })
  expect(button('Send').disabled).toBe(true)
  expect(screen.getByText(/^This is not JSON: /)).toBeDefined()
})

test('a form cannot be sent again: the inspector does not have its file', async () => {
  show({ requestBody: 'multipart/form-data, 12,000 bytes' })
  await screen.findByRole('heading', { name: 'Request' })
  expect(screen.queryByText('Send again with changes')).toBeNull()
})
