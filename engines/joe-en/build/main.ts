// Writes dist/files/words.txt from the package cmu-pronouncing-dictionary, with its license.
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { dictionary } from 'cmu-pronouncing-dictionary'
import { joeFiles } from '../src/index.ts'

const source = dirname(createRequire(import.meta.url).resolve('cmu-pronouncing-dictionary'))
const out = dirname(joeFiles.words)

/** Its first pronunciation stands for a word. Others have a number behind the word. */
const words = Object.entries(dictionary).filter(([word]) => /^[a-z'.-]+$/.test(word))
const lines = words.map(([word, phones]) => `${word}\t${phones}\n`)

await mkdir(out, { recursive: true })
await writeFile(
  joeFiles.words,
  lines.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))).join(''),
)
await copyFile(join(source, 'license'), join(out, 'LICENSE.cmu-pronouncing-dictionary.txt'))
