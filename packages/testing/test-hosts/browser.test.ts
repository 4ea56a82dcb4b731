import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { createInProcessUpstream, happy, status } from '../src/in-process.ts'

const CHROMIUM = process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium'
const FLAGS = ['--no-sandbox', '--disable-quic', '--disable-background-networking']

/** Runs in the page: speaks, uploads a recording, and calls with a voice that the script refuses. */
async function useService(apiKey: string): Promise<unknown> {
  const authorization = `Bearer ${apiKey}`
  const speak = (voice: string): Promise<Response> =>
    fetch('/v1/audio/speech', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-tts-1.5-flash', input: 'Hello.', voice_id: voice, response_format: 'wav' }),
    })
  const spoken = await speak('rms')
  const bytes = new Uint8Array(await spoken.arrayBuffer())
  const form = new FormData()
  form.set('model', 'svc-transcribe-1.0')
  form.set('file', new Blob([bytes]), 'speech.wav')
  const heard = await fetch('/v1/audio/transcriptions', { method: 'POST', headers: { authorization }, body: form })
  const { text }: { text?: string } = JSON.parse(await heard.text())
  return { riff: String.fromCodePoint(...bytes.slice(0, 4)), text, refused: (await speak('nobody')).status }
}

test('a page in Chromium uses an upstream of the test, without a server', async () => {
  const upstream = createInProcessUpstream({ transcript: 'good morning' })
  await using browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  const page = await browser.newPage()
  await page.route('https://app.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  )
  await page.route('**/v1/**', async (route) => {
    const request = route.request()
    const [headers, body] = [await request.allHeaders(), request.postDataBuffer()]
    const response = await upstream.fetch(request.url(), {
      method: request.method(),
      headers,
      body: body && new Uint8Array(body),
    })
    const content = Buffer.from(await response.arrayBuffer())
    await route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body: content })
  })
  await page.goto('https://app.example/')
  upstream.next('POST /v1/audio/speech', happy, status(404))
  expect(await page.evaluate(useService, upstream.apiKey)).toEqual({ riff: 'RIFF', text: 'good morning', refused: 404 })
  expect(upstream.requests.map(({ route }) => route)).toEqual([
    'POST /v1/audio/speech',
    'POST /v1/audio/transcriptions',
    'POST /v1/audio/speech',
  ])
  await upstream.close()
})
