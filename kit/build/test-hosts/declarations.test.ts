import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reachedDeclarations } from '../declarations.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-declarations-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Writes these declarations. @returns those that the first one reaches */
async function reached(files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [path, code] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), code)
  }
  const [first = ''] = Object.keys(files)
  return Array.from(reachedDeclarations([join(folder, first)], folder), (path) => relative(folder, path)).toSorted()
}

test('every form of an import is followed, also through other declarations, the option checks and in a circle', async () => {
  const paths = await reached({
    'index.d.ts': [
      "import type { A } from './named.ts'",
      "export * from './all.js'",
      "export { B } from './parts/again.ts'",
      "export type C = import('./typed.ts').C<A>",
      "import './effect.ts'",
      "import type { Rule } from '#options'",
      "export type { D } from 'undici'",
      'export declare const text: "./words.ts"',
    ].join('\n'),
    'named.d.ts': 'export type A = 1\n',
    'all.d.ts': "export * from './index.ts'\n",
    'parts/again.d.ts': "export type { B } from '../deep.ts'\n",
    'deep.d.ts': 'export type B = 2\n',
    'typed.d.ts': 'export type C<T> = T\n',
    'effect.d.ts': 'export {}\n',
    'words.d.ts': 'export {}\n',
    'option-checks/index.d.ts': "export type { Rule } from './rules.ts'\n",
    'option-checks/rules.d.ts': 'export type Rule = 3\n',
  })
  const all = [
    'all',
    'deep',
    'effect',
    'index',
    'named',
    'option-checks/index',
    'option-checks/rules',
    'parts/again',
    'typed',
  ]
  expect(paths).toEqual(all.map((name) => `${name}.d.ts`))
})

test('a declaration that is missing is an error with its path', async () => {
  await expect(reached({ 'index.d.ts': "export * from './gone.ts'\n" })).rejects.toThrow('gone.d.ts')
})
