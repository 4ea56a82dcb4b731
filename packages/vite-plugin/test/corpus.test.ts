import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseNarrationRequest } from '../src/request/narration-request.ts'
import { PageReader } from '../src/source/read-page.ts'

const CORPUS = join(import.meta.dirname, 'corpus')

// Each file of spoken text was read by a person: change it only with the reason in the commit.
test.each(['vitepress.md', 'mdx.mdx'])('%s is spoken as its reviewed text says', async (name) => {
  const source = await readFile(join(CORPUS, name), 'utf8')
  const reader = new PageReader({ voice_id: 'rms' })
  const { script } = await reader.read(parseNarrationRequest(join(CORPUS, name), 'narrate'), source, name)
  const spoken = (script?.segments ?? []).map((segment) => segment.spoken).join('\n\n')
  await expect(`${spoken}\n`).toMatchFileSnapshot(join(CORPUS, `${name}.spoken.txt`))
})
