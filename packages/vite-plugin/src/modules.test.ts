import { seeded } from '@svc-audio/kit/hosts/audio-files'
import type { Rolldown } from 'vite'
import { describe, expect, test } from 'vitest'
import { displayName, IMPORTS, moduleId, MODULES, parseModuleId, resolveModule, siteModule } from './modules.ts'
import type { NarrationOptions } from './options.ts'

test.each([
  ['./a.md?narrate', true],
  ['./a.md?voice_id=slt&narrate', true],
  ['./a.md?narrate=', true],
  ['./a.md?narrate&import', true],
  ['./a.md?narrate#top', true],
  ['./a.md?narrated', false],
  ['./a.md?voice_id=narrate', false],
  ['./narrate.md', false],
  ['virtual:narrations', true],
  ['\0virtual:narrations/pages', true],
  ['virtual:narrations2', false],
])('%s asks for a module of the plugin: %s', (id, asks) => {
  expect(IMPORTS.some((one) => one.test(id))).toBe(asks)
})

test('any path and query return from an id, which holds no sign that another plugin looks for', () => {
  const below = seeded(9)
  const signs = [...Array.from('abz09_-/.:?#&=%~ *"\'\\$üß中'), '😀', '\u0000', '~7e~']
  const any = (): string => Array.from({ length: below(20) + 1 }, () => signs[below(signs.length)]).join('')
  for (let round = 0; round < 300; round += 1) {
    const [file, query] = [any(), any()]
    const id = moduleId(file, query)
    expect(parseModuleId(id)).toEqual({ file, query })
    expect(MODULES.some((one) => one.test(id))).toBe(true)
    expect(id.slice(1)).toMatch(/^narration:[\w/~-]*:[\w/~-]*$/)
  }
})

test('a narration is shown as it is imported', () => {
  expect([displayName('a.md', ''), displayName('a.md', 'voice_id=slt&narrate')]).toEqual([
    'a.md',
    'a.md?voice_id=slt&narrate',
  ])
})

test.each([
  ['/site/post.md', 'narrate'],
  ['/site/a b/ü%2E:x?.md', 'voice_id=slt&narrate'],
  ['C:/site/post.txt', 'narrate='],
])('the id of %s with ?%s names both, and ends in no extension', (file, query) => {
  const id = moduleId(file, query)
  expect(parseModuleId(id)).toEqual({ file, query })
  expect(id).not.toMatch(/\.|\?/)
})

test('other ids are left alone', () => {
  expect(parseModuleId('/site/post.md?narrate')).toBeUndefined()
})

describe('the module of all narrations', () => {
  const listOf = (options: Partial<NarrationOptions>): string =>
    siteModule('\0virtual:narrations', { voice_id: 'rms', ...options }) ?? ''
  const globs = (include: string | string[], exclude?: string | string[]): unknown => {
    const [, list = ''] = /import\.meta\.glob\((\[.*?\]), /.exec(listOf({ include, exclude })) ?? []
    return JSON.parse(list)
  }

  test.each(['virtual:narrations', 'virtual:narrations/pages'])('%s has an id of its own', async (name) => {
    const context = {} as Rolldown.PluginContext
    for (const source of [name, `\0${name}`]) expect(await resolveModule(context, source, undefined)).toBe(`\0${name}`)
    expect(siteModule(`\0${name}?x`, { voice_id: 'rms' })).toBeUndefined()
  })

  test.each([
    ['posts/*.md', undefined, ['/posts/*.md']],
    ['./posts/*.md', undefined, ['/posts/*.md']],
    ['/posts/*.md', undefined, ['/posts/*.md']],
    ['.posts/*.md', undefined, ['/.posts/*.md']],
    ['../docs/*.md', undefined, ['/../docs/*.md']],
    [['a.md', '!./b.md'], undefined, ['/a.md', '!/b.md']],
    ['**/*.md', ['draft/*', './old.md'], ['/**/*.md', '!/draft/*', '!/old.md']],
  ])('include %o, exclude %o are the globs %o', (include, exclude, list) => {
    expect(globs(include, exclude)).toEqual(list)
  })

  test('the module of all narrations without include the error shows it', () => {
    expect(() => listOf({})).toThrow("the option include is missing. Set it, for example to include: 'posts/*.md'")
  })
})
