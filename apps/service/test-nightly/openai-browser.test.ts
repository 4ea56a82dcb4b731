import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchChromium } from '@svc-audio/kit/hosts'
import { serverUrl } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEY, startTestService, type TestService } from '../test/support/test-service.ts'

/** The official client as modules, which a page can import. */
const CLIENT = fileURLToPath(new URL('.', import.meta.resolve('openai')))

/** Speaks, transcribes and lists with the official client, in a page. */
const PROGRAM = `import OpenAI from '/openai/index.mjs'
globalThis.run = async (baseURL, apiKey) => {
  const client = new OpenAI({ apiKey, baseURL, maxRetries: 0, dangerouslyAllowBrowser: true })
  const speech = await client.audio.speech.create({ model: 'tts-1', voice: 'rms', input: 'Good morning.', response_format: 'wav' })
  const file = new File([await speech.blob()], 'a.wav')
  const { text } = await client.audio.transcriptions.create({ model: 'whisper-1', file })
  const streamed = []
  for await (const { type } of await client.audio.transcriptions.create({ model: 'whisper-1', file, stream: true })) streamed.push(type)
  const error = await client.audio.speech.create({ model: 'tts-1', voice: 'nobody', input: 'a' }).catch(({ status, code, requestID }) => ({ status, code, hasId: typeof requestID === 'string' }))
  return { text, streamed, error, models: (await client.models.list()).data.length > 10 }
}`

let browser: Awaited<ReturnType<typeof launchChromium>>
let pages: Server[]
let service: TestService
beforeAll(async () => {
  pages = [pageServer(), pageServer()]
  await Promise.all(pages.map((server) => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))))
  service = await startTestService({
    openaiApi: true,
    corsOrigins: pages.slice(0, 1).map((server) => serverUrl(server)),
  })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
  await service.close()
  for (const server of pages) server.close()
})

/** Serves the page, and the modules of the client. */
function pageServer(): Server {
  return createServer((request, response) => {
    const path = request.url ?? '/'
    if (!path.startsWith('/openai/')) {
      response.setHeader('content-type', 'text/html').end(`<!doctype html><script type="module">${PROGRAM}</script>`)
      return
    }
    readFile(join(CLIENT, path.slice('/openai/'.length))).then(
      (module) => response.setHeader('content-type', 'text/javascript').end(module),
      () => response.writeHead(404).end(),
    )
  })
}

/** Runs the program in a page of an origin. */
async function run(server: Server | undefined): Promise<unknown> {
  if (server === undefined) throw new TypeError('There are two servers')
  const page = await browser.newPage()
  await page.goto(serverUrl(server))
  await page.waitForFunction(() => 'run' in globalThis)
  return page.evaluate(
    ([baseURL, key]) => (Reflect.get(globalThis, 'run') as (...given: unknown[]) => Promise<unknown>)(baseURL, key),
    [`${service.url}/openai/v1`, KEY],
  )
}

test('the openai package in a page of an allowed origin speaks, transcribes, streams, lists and reads errors', async () => {
  expect(await run(pages[0])).toEqual({
    text: expect.stringMatching(/good morning/i),
    streamed: ['transcript.text.delta', 'transcript.text.done'],
    error: { status: 404, code: 'voice_not_found', hasId: true },
    models: true,
  })
})

test('the browser refuses the openai package in a page of another origin', async () => {
  await expect(run(pages[1])).rejects.toThrow('Connection error')
})
