import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { collectThirdParties, findUnexplained, renderThirdParties } from './third-party.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'third-party-'))
})
afterEach(() => {
  rmSync(root, { recursive: true })
})

function install(path: string, manifest: object): string {
  const folder = join(root, path)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.0.0', license: 'MIT', ...manifest }))
  return folder
}

test('dependencies are followed to the last one, through our own packages', () => {
  const own = install('own', { name: '@svc-audio/own', dependencies: { '@svc-audio/core': '*' } })
  install('own/node_modules/@svc-audio/core', {
    name: '@svc-audio/core',
    dependencies: { near: '*' },
    optionalDependencies: { extra: '*' },
  })
  install('own/node_modules/near', { name: 'near', dependencies: { far: '*' }, optionalDependencies: { absent: '*' } })
  install('own/node_modules/far', { name: 'far', license: undefined, licenses: [{ type: 'ISC' }] })
  install('own/node_modules/extra', { name: 'extra', license: 'GPL-3.0' })
  const list = collectThirdParties([own])
  expect(list.map(({ name, license }) => `${name} ${license}`)).toEqual(['extra GPL-3.0', 'far ISC', 'near MIT'])
  expect([...(list[0]?.broughtBy ?? [])]).toEqual(['@svc-audio/own'])
})

test('private packages bring nothing, and a dependency that is not installed is an error', () => {
  const hidden = install('hidden', { name: '@svc-audio/hidden', private: true, dependencies: { absent: '*' } })
  expect(collectThirdParties([hidden])).toEqual([])
  const own = install('own', { name: '@svc-audio/own', dependencies: { absent: '*' } })
  expect(() => collectThirdParties([own])).toThrow('absent is not installed')
})

test('a license that is neither permissive nor explained is a fault, and the page names every package', () => {
  const own = install('own', { name: '@svc-audio/own', dependencies: { near: '*', '@ffmpeg/core': '*' } })
  install('own/node_modules/near', { name: 'near', license: 'GPL-3.0' })
  install('own/node_modules/@ffmpeg/core', { name: '@ffmpeg/core', license: 'GPL-2.0-or-later' })
  const list = collectThirdParties([own])
  expect(findUnexplained(list)).toEqual([
    'near: the license is GPL-3.0. Use another package, or explain it in scripts/checks/third-party.ts',
  ])
  const page = renderThirdParties(list)
  expect(page).toContain('- **@ffmpeg/core**: Optional.')
  expect(page).toContain('| near | 1.0.0 | GPL-3.0 | own |')
})
