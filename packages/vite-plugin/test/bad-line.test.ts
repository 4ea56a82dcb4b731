import { dropConnection, type ResponseFunction, silence, status } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { setUpStage, SPEECH, type SpeechCall } from './support/stage.ts'

const stage = setUpStage()

test('a build survives dropped connections, 500s and an answer that never comes, and pays each text once', async () => {
  const texts = Array.from({ length: 100 }, (_, index) => `Paragraph number ${index}.`)
  const keys = new Map<string, Set<string | undefined>>()
  const attempts = new Map<string, number>()
  const drop = dropConnection()
  const badLine: ResponseFunction = async (exchange) => {
    await exchange.received()
    const { input } = exchange.request.json as SpeechCall
    keys.set(input, (keys.get(input) ?? new Set()).add(exchange.request.headers['idempotency-key']))
    const attempt = (attempts.get(input) ?? 0) + 1
    attempts.set(input, attempt)
    const index = texts.indexOf(input)
    if (attempt === 1 && index === 7) return silence(exchange)
    if (attempt === 1 && index % 20 === 3) return drop(exchange)
    if (attempt === 1 && index % 20 === 13) return status(500)
    return stage.speaks(exchange)
  }
  stage.upstream.on(SPEECH, badLine)
  const site = await stage.site({
    'main.js': `export { default } from './post.md?narrate'`,
    'post.md': texts.join('\n\n'),
  })
  const { durationSeconds } = await site.buildOne({ timeout: 2000, concurrency: 8 })
  expect(durationSeconds).toBeGreaterThan(100)
  // The service replays by key: attempts with one key are one bill.
  expect([...keys.values()].map((one) => one.size)).toEqual(texts.map(() => 1))
  expect([...keys.values()].every((one) => !one.has(undefined))).toBe(true)
  expect([...attempts.values()].filter((count) => count > 1)).toHaveLength(11)
})
