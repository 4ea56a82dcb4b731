import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { setUpStage } from '../test/support/stage.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const stage = setUpStage()

/** Memory in use after a collection, in megabytes. */
function memory(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1e6
}

test('the memory of a dev server settles over 600 edits, each played', async () => {
  const site = await stage.site({ 'post.md': 'Edit 0.' })
  const dev = await site.dev({ maxCharacters: 1_000_000 })
  const used: number[] = []
  for (let edit = 1; edit <= 600; edit += 1) {
    // 30 texts in turn, as an author who tries wordings: the cache has their audio after the first round.
    await dev.edit({ 'post.md': `# Heading\n\nEdit ${edit % 30} of a text.\n\nIt has several paragraphs.` })
    const { src } = await dev.load('post.md?narrate')
    await (await fetch(new URL(src, dev.url))).arrayBuffer()
    if (edit % 200 === 0) used.push(memory())
  }
  await dev.close()
  const [, second = 0, third = 0] = used
  console.log(`after 200, 400 and 600 edits: ${used.map((megabytes) => megabytes.toFixed(1)).join(', ')} MB`)
  expect(third - second).toBeLessThan(5)
})
