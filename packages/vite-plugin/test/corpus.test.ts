import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PageReader } from '../src/source/page.ts'

const CORPUS = join(import.meta.dirname, 'corpus')

// Each file of spoken text was read by a person: change it only with the reason in the commit.
test.each(['vitepress.md', 'mdx.mdx'])('%s is spoken as its reviewed text says', async (name) => {
  const reader = new PageReader({ voice_id: 'rms' })
  const { script } = await reader.read({ file: join(CORPUS, name), query: 'narrate', source: name }, () =>
    readFile(join(CORPUS, name), 'utf8'),
  )
  const spoken = (script?.segments ?? []).map((segment) => segment.spoken).join('\n\n')
  await expect(`${spoken}\n`).toMatchFileSnapshot(join(CORPUS, `${name}.spoken.txt`))
})
