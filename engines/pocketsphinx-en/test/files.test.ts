import { readFile, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { compileWasm } from '@svc-audio/engine-ports/driver'
import { MODEL, pocketSphinxFiles } from '@svc-audio/pocketsphinx-en'

test('the build writes a valid module, its JavaScript without a model, and both licenses', async () => {
  const { wasm, glue } = pocketSphinxFiles
  await expect(compileWasm(await readFile(wasm))).resolves.toBeDefined()
  expect((await stat(glue)).size).toBeLessThan(200_000)
  expect((await readdir(dirname(wasm))).filter((name) => name.startsWith('LICENSE'))).toEqual([
    'LICENSE.pocketsphinx.txt',
    'LICENSE.sphinxbase.txt',
  ])
})

test('the English model has its license, its dictionary and its language model', async () => {
  const { model } = pocketSphinxFiles
  expect(await readdir(model)).toEqual(expect.arrayContaining(['README', MODEL.dictionary, MODEL.language, 'mdef']))
  expect(await readFile(join(model, 'README'), 'utf8')).toContain('Alpha Cephei')
})
