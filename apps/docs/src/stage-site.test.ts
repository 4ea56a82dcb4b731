import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { includeSections, narrate, readChangeset, sectionBody } from './stage-site.ts'
import { headingSlug, linkToSite, routeAddress } from './site-links.ts'

const ROOT = join(import.meta.dirname, '../../..')

const targets = {
  routes: new Map([
    ['docs/concepts.md', 'concepts'],
    ['docs/start/README.md', 'start/index'],
  ]),
  kindOf: (path: string) => (path.startsWith('gone') ? undefined : path.includes('.') ? 'file' : 'folder') as 'file',
  repository: 'https://host/repo',
}
const link = (text: string) => linkToSite(text, 'docs/faq.md', targets)

describe('linkToSite', () => {
  test.each([
    ['[a](concepts.md#file)', '[a](/concepts#file)'],
    ['[a](start/README.md)', '[a](/start/)'],
    ['[a](start)', '[a](/start/)'],
    ['[a](../bench/main.ts)', '[a](https://host/repo/blob/main/bench/main.ts)'],
    ['[a](../bench)', '[a](https://host/repo/tree/main/bench)'],
    ['[a](https://b.c/d.md)', '[a](https://b.c/d.md)'],
    ['[a](#file)', '[a](#file)'],
    ['`[a](concepts.md)`', '`[a](concepts.md)`'],
    ['```md\n[a](concepts.md)\n```\n', '```md\n[a](concepts.md)\n```\n'],
  ])('%s becomes %s', (markdown, expected) => {
    expect(link(markdown)).toEqual({ text: expected, images: [], faults: [] })
  })

  test('an image is listed with its path in the repository', () => {
    expect(link('![a](playground/speak.png)')).toEqual({
      text: '![a](/images/docs-playground-speak.png)',
      images: ['docs/playground/speak.png'],
      faults: [],
    })
  })

  test('a link to a missing file is a fault', () => {
    expect(link('[a](../gone.md)').faults).toEqual(['docs/faq.md: ../gone.md leads nowhere'])
  })
})

test('the address of an index page ends with a slash', () => {
  expect(['index', 'start/index', 'start/express'].map(routeAddress)).toEqual(['/', '/start/', '/start/express'])
})

test('a section ends at the next heading of its level, and code is not a heading', () => {
  const page = '# A\n\n## B\n\n```sh\n# c\n```\n\n### D\n\nd\n\n## E\n\ne\n'
  expect(sectionBody(page, 'B')).toBe('```sh\n# c\n```\n\n### D\n\nd')
  expect(includeSections('<!-- section: a.md#B c -->', (path, heading) => `${path} ${heading}`)).toBe('a.md B c')
  expect(() => sectionBody(page, 'F')).toThrow('there is no heading "F"')
})

test.each([
  ['`transcribeUpload(options)`', 'transcribeuploadoptions'],
  ['Speech, and more', 'speech-and-more'],
  ['The `_x` of 2 things', 'the-_x-of-2-things'],
])('the anchor of %s is %s', (heading, slug) => {
  expect(headingSlug(heading)).toBe(slug)
})

test('the player of a narrated page stands below its title', () => {
  expect(narrate('# A\n\ntext\n', 'start/index')).toMatch(
    /^# A\n\n<script setup>\nimport narration from '\.\/index\.md\?narrate'\n<\/script>\n\n<PageNarration .*\/>\n\n\ntext/,
  )
})

test('a changeset has its packages with their bumps, and its text', () => {
  const file = "---\n'@svc-audio/core': minor\n'@svc-audio/text': patch\n---\n\nWords.\n"
  expect(readChangeset(file)).toEqual({
    packages: [
      { name: '@svc-audio/core', bump: 'minor' },
      { name: '@svc-audio/text', bump: 'patch' },
    ],
    text: 'Words.',
  })
})

const NUMBERS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten', 'Eleven']
const starts = globSync('docs/start/*.md', { cwd: ROOT }).filter((path) => !path.endsWith('README.md'))

test('there is a start for each framework, for a voice agent and for a service', () => {
  expect(starts).toHaveLength(18)
})

test.each(starts)('%s counts its commands', (path) => {
  const page = readFileSync(join(ROOT, path), 'utf8')
  const blocks = Array.from(page.matchAll(/^```sh\n([^]*?)\n```$/gm), ([, code = '']) => code)
  const commands = blocks.flatMap((code) => code.split('\n'))
  expect(page).toMatch(new RegExp(String.raw`^# .+\n\n${NUMBERS[commands.length]} commands?\b`))
})
