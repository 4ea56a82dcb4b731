import { readFile, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { compileWasm } from '@svc-audio/engine-ports/driver'
import { DICTIONARY, pocketSphinxFiles } from '@svc-audio/pocketsphinx-en'

test('the build writes a valid module, its JavaScript without a model, and both licenses', async () => {
  const { wasm, glue } = pocketSphinxFiles
  await expect(compileWasm(await readFile(wasm))).resolves.toBeDefined()
  expect((await stat(glue)).size).toBeLessThan(200_000)
  expect((await readdir(dirname(wasm))).filter((name) => name.startsWith('LICENSE'))).toEqual([
    'LICENSE.pocketsphinx.txt',
    'LICENSE.sphinxbase.txt',
  ])
})

test('the English model has its license and its dictionary, and no language model', async () => {
  const { model } = pocketSphinxFiles
  const names = await readdir(model)
  expect(names).toEqual(expect.arrayContaining(['README', DICTIONARY, 'mdef']))
  expect(names.filter((name) => name.includes('.lm'))).toEqual([])
  expect(await readFile(join(model, 'README'), 'utf8')).toContain('Alpha Cephei')
})
