import { dropConnection, type ResponseFunction, silence, status } from '@svc-audio/testing'
import { createLogger } from 'vite'
import { expect, test } from 'vitest'
import { setUpStage, SPEECH, type SpeechCall } from '../test/support/stage.ts'

const stage = setUpStage()

const PAGES = 50
const PARAGRAPHS = 20

test('a build of 1,000 calls over a line that drops one in fifty, answers 500 to one in fifty and hangs once is complete', async () => {
  const pages = Array.from({ length: PAGES }, (_, page) =>
    Array.from({ length: PARAGRAPHS }, (_text, index) => `Paragraph ${page * PARAGRAPHS + index}.`),
  )
  const keys = new Map<string, Set<string | undefined>>()
  const attempts = new Map<string, number>()
  const drop = dropConnection()
  const badLine: ResponseFunction = async (exchange) => {
    await exchange.received()
    const { input } = exchange.request.json as SpeechCall
    keys.set(input, (keys.get(input) ?? new Set()).add(exchange.request.headers['idempotency-key']))
    const attempt = (attempts.get(input) ?? 0) + 1
    attempts.set(input, attempt)
    const index = Number(/\d+/.exec(input)?.[0])
    if (attempt > 1) return stage.speaks(exchange)
    if (index === 500) return silence(exchange)
    if (index % 50 === 7) return drop(exchange)
    return index % 50 === 23 ? status(500) : stage.speaks(exchange)
  }
  stage.upstream.on(SPEECH, badLine)
  const site = await stage.site(
    {
      'main.js': `export default import.meta.glob('./*.md', { query: '?narrate', import: 'default', eager: true })`,
      ...Object.fromEntries(pages.map((texts, page) => [`page-${page}.md`, texts.join('\n\n')])),
    },
    { response_format: 'mp3' },
  )
  const lines: string[] = []
  const customLogger = createLogger('info')
  customLogger.info = (message) => void lines.push(message)
  const options = { timeout: 5000, concurrency: 8 }
  const { default: built } = await site.build(options, { logLevel: 'info', customLogger })
  expect(Object.values(built as object).every(({ src }: { src: string }) => src.endsWith('.mp3'))).toBe(true)
  expect(keys.size).toBe(1000)
  // The service replays by key: attempts with one key are one bill.
  expect([...keys.values()].every((one) => one.size === 1 && !one.has(undefined))).toBe(true)
  expect([...attempts.values()].filter((count) => count > 1)).toHaveLength(41)
  expect(lines.find((line) => line.includes('repeated'))).toBe(
    'narration: 41 calls were repeated: 20 after a broken connection, 20 after scripted_error of the service, 1 without an answer',
  )
  expect(lines).toContainEqual(expect.stringMatching(/^narration: 50 pages, 1,000 calls, /))
})
