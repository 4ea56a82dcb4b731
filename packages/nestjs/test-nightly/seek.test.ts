import 'reflect-metadata'
import { Controller, Get, Header, Param } from '@nestjs/common'
import { AudioClient } from '@svc-audio/core'
import { launchChromium } from '@svc-audio/kit/hosts'
import { createTestUpstream, handle, type ScriptedResponse, wavFile } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { AudioModule, playResult } from '../src/index.ts'
import { KEY, PLATFORMS, startApp } from '../test/support/app.ts'

/** A recording that a browser does not load as a whole before it plays. */
const AUDIO = wavFile(60_000_000)

@Controller()
class Routes {
  constructor(private readonly audio: AudioClient) {}

  @Get()
  @Header('content-type', 'text/html')
  page(): string {
    return '<!doctype html><link rel="icon" href="data:,"><audio controls preload="metadata" src="/play/t"></audio>'
  }

  @Get('play/:id')
  play(@Param('id') task: string) {
    return playResult({ client: this.audio, task })
  }
}

/** A service with a finished task, whose file has ranges. */
function serving(task: unknown, ranges: string[]): ScriptedResponse {
  return handle((response, { path, headers: { range } }) => {
    if (path.includes('/tasks/')) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(task))
      return
    }
    const first = Number(/^bytes=(?<first>\d+)-/.exec(range ?? '')?.groups?.['first'] ?? 0)
    if (range !== undefined) ranges.push(range)
    const part = AUDIO.subarray(first)
    const headers = { 'content-type': 'audio/wav', 'accept-ranges': 'bytes', 'content-length': part.byteLength }
    const place = { 'content-range': `bytes ${first}-${AUDIO.byteLength - 1}/${AUDIO.byteLength}` }
    response.writeHead(range === undefined ? 200 : 206, range === undefined ? headers : { ...headers, ...place })
    response.end(part)
  })
}

test.each(PLATFORMS)('on %s a page in Chromium seeks in the audio of a task', async (platform) => {
  await using upstream = await createTestUpstream({ apiKey: KEY })
  const ranges: string[] = []
  await using client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url })
  const { id } = await client.speech.createTask({ model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'rms' })
  upstream.on('*', serving(await client.tasks.wait(id, { pollInterval: 1 }), ranges))
  const audio = AudioModule.forRoot({ apiKey: KEY, baseUrl: upstream.url })
  const app = await startApp(platform, { imports: [audio], controllers: [Routes] })
  const head = await fetch(`${app.url}/play/t`, { method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(AUDIO.byteLength))
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(app.url)
    const place = await page.evaluate<number>(`new Promise((resolve, reject) => {
      const player = document.querySelector('audio')
      const fail = () => reject(new Error(player.error.message))
      if (player.error !== null) fail()
      player.addEventListener('error', fail)
      player.addEventListener('seeked', () => resolve(player.currentTime / player.duration))
      const seek = () => (player.currentTime = player.duration * 0.9)
      if (player.readyState > 0) seek()
      else player.addEventListener('loadedmetadata', seek)
    })`)
    expect(place).toBeCloseTo(0.9, 2)
    const firsts = ranges.map((range) => Number(/\d+/.exec(range)?.[0] ?? 0))
    expect(Math.max(...firsts)).toBeGreaterThan(0.8 * AUDIO.byteLength)
  } finally {
    await browser.close()
    await app.close()
  }
})
