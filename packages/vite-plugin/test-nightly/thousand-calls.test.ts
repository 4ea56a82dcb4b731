import { createLogger } from 'vite'
import { expect, test } from 'vitest'
import { type LineFault, setUpBadLine } from '../test/support/bad-line.ts'
import { setUpStage } from '../test/support/stage.ts'

const stage = setUpStage()

const PAGES = 50
const PARAGRAPHS = 20

test('a build of 1,000 calls over a line that drops one in fifty, answers 500 to one in fifty and hangs once is complete', async () => {
  const pages = Array.from({ length: PAGES }, (_, page) =>
    Array.from({ length: PARAGRAPHS }, (_text, index) => `Paragraph ${page * PARAGRAPHS + index}.`),
  )
  const { attempts, billedTwice } = setUpBadLine(stage, (input): LineFault | undefined => {
    const index = Number(/\d+/.exec(input)?.[0])
    if (index === 500) return 'hangs'
    if (index % 50 === 7) return 'drops'
    return index % 50 === 23 ? 'fails' : undefined
  })
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
  expect([attempts.size, billedTwice()]).toEqual([1000, []])
  expect([...attempts.values()].filter((count) => count > 1)).toHaveLength(41)
  expect(lines.find((line) => line.includes('repeated'))).toBe(
    'narration: 41 calls were repeated: 20 after a broken connection, 20 after scripted_error of the service, 1 without an answer',
  )
  expect(lines).toContainEqual(expect.stringMatching(/^narration: 50 pages, 1,000 calls, /))
})
