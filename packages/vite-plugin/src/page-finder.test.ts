import { expect, test } from 'vitest'
import type { Narration } from './narration.ts'
import { type NarrationFor, pageFinder } from './page-finder.ts'

const narrationOf = (file: string): Narration => ({
  src: file,
  type: 'audio/mpeg',
  durationSeconds: 1,
  bytes: 1,
  characters: 1,
  title: undefined,
  language: undefined,
  guid: undefined,
  captions: '',
  sections: [],
})

function finder(files: readonly string[], folders: readonly string[] = ['/'], base = '/'): NarrationFor {
  const modules = Object.fromEntries(files.map((file) => [file, () => Promise.resolve(narrationOf(file))]))
  return pageFinder(modules, folders, base)
}

test.each([
  ['a file of VitePress', '/guide/harbour.md', '/', 'guide/harbour.md'],
  ['a route', '/guide/harbour.md', '/', '/guide/harbour'],
  ['a route with a slash at its end', '/guide/harbour.md', '/', '/guide/harbour/'],
  ['an address with its ending, query and hash', '/guide/harbour.md', '/', '/guide/harbour.html?a=1#b'],
  ['the route of an index', '/guide/index.md', '/', '/guide/'],
  ['the first page', '/index.md', '/', '/'],
  ['an encoded address', '/guide/hä fen.md', '/', '/guide/h%C3%A4%20fen'],
  ['a file with a percent sign', '/100%.md', '/', '100%.md'],
  ['a file of a Starlight entry', '/src/content/docs/guide.mdx', '/src/content/docs/', 'src/content/docs/guide.mdx'],
  ['a slug of a Starlight entry', '/src/content/docs/guide/a.mdx', '/src/content/docs/', 'guide/a'],
  ['a SvelteKit route', '/src/routes/(docs)/guide/+page.md', '/src/routes/', '/guide'],
  ['a path of Nuxt Content', '/../content/1.guide/02.harbour.md', '/../content/', '/guide/harbour'],
  ['a version in a route', '/v1.2/a.md', '/', '/v1.2/a'],
])('%s finds its narration', async (_, file, folder, page) => {
  expect((await finder([file, '/other.md'], [folder])(page))?.src).toBe(file)
})

test('a route may begin with the base of the site', async () => {
  const find = finder(['/guide/a.md', '/index.md'], ['/'], '/docs/')
  expect((await find('/docs/guide/a'))?.src).toBe('/guide/a.md')
  expect((await find('/docs/'))?.src).toBe('/index.md')
  expect((await find('/docs'))?.src).toBe('/index.md')
})

test('a page that pages does not name has no narration', async () => {
  expect(await finder(['/guide/a.md'])('/guide/b')).toBeUndefined()
})

test('two files with one route fail with the names of both, and each is found by its file', async () => {
  const find = finder(['/guide.md', '/guide/index.md'])
  await expect(find('/guide')).rejects.toThrow(
    "narrationFor('/guide'): guide.md and guide/index.md have this route. Give the file instead",
  )
  expect((await find('guide/index.md'))?.src).toBe('/guide/index.md')
})
