import { expect, test } from 'vitest'
import { type LineFault, setUpBadLine } from './support/bad-line.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

test('a build survives dropped connections, 500s and an answer that never comes, and pays each text once', async () => {
  const texts = Array.from({ length: 100 }, (_, index) => `Paragraph number ${index}.`)
  const { attempts, billedTwice } = setUpBadLine(stage, (input): LineFault | undefined => {
    const index = texts.indexOf(input)
    if (index === 7) return 'hangs'
    if (index % 20 === 3) return 'drops'
    return index % 20 === 13 ? 'fails' : undefined
  })
  const site = await stage.site({
    'main.js': `export { default } from './post.md?narrate'`,
    'post.md': texts.join('\n\n'),
  })
  const { durationSeconds } = await site.buildOne({ timeout: 2000, concurrency: 8 })
  expect(durationSeconds).toBeGreaterThan(100)
  expect([attempts.size, billedTwice()]).toEqual([texts.length, []])
  expect([...attempts.values()].filter((count) => count > 1)).toHaveLength(11)
})
