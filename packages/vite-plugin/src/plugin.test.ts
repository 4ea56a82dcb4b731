import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { cacheWatchOptions, checkVite } from './plugin.ts'

test('a host without environments is too old, and named', () => {
  expect(() => checkVite({ environments: {} })).not.toThrow()
  expect(() => checkVite()).not.toThrow()
  expect(() => checkVite({ root: '/' })).toThrow(
    '@svc-audio/vite-plugin needs Vite 6.3 or later, and this site runs on Vite 5 or older. VitePress 1 brings Vite 5',
  )
})

test.each([
  ['audio', {}, [`${resolve('audio')}/**`]],
  ['audio', { root: '/site' }, ['/site/audio/**']],
  ['a (1)/[b]*', { root: '/site' }, [String.raw`/site/a \(1\)/\[b\]\*/**`]],
  ['audio', { root: '/site', server: { watch: {} } }, ['/site/audio/**']],
])('%s with %o is not watched', (folder, config, ignored) => {
  expect(cacheWatchOptions(folder, config)).toEqual({ server: { watch: { ignored } } })
})

test('the folder of the cache changes nothing where nothing is watched', () => {
  expect(cacheWatchOptions(undefined, {})).toBeUndefined()
  expect(cacheWatchOptions('audio', { server: { watch: null } })).toBeUndefined()
})
