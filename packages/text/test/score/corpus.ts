import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { HtmlRenderer, Parser } from 'commonmark'
import { readMarkdown } from '../../src/index.ts'
import { displayedText, words } from './displayed-text.ts'

const run = promisify(execFile)
const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/corpus')

/** A package whose Markdown files belong to the corpus. */
interface CorpusPackage {
  readonly name: string
  readonly version: string
  readonly integrity: string
}

/** A Markdown file of the corpus. */
export interface CorpusFile {
  /** Package and path, e.g. `yaml@2.9.1/README.md`. */
  readonly name: string
  readonly source: string
}

/** All Markdown files of the corpus. Fetches each package once, and checks its integrity. */
export async function corpusFiles(): Promise<readonly CorpusFile[]> {
  const packages: readonly CorpusPackage[] = JSON.parse(
    await readFile(new URL('../corpus/packages.json', import.meta.url), 'utf8'),
  )
  const files: CorpusFile[] = []
  for (const one of packages) {
    const folder = await fetched(one)
    for (const path of globSync('**/*.{md,mdx}', { cwd: folder, exclude: ['**/node_modules/**'] }).toSorted()) {
      files.push({ name: `${one.name}@${one.version}/${path}`, source: await readFile(join(folder, path), 'utf8') })
    }
  }
  return files
}

/** @throws Error when the tarball is not the one that the corpus names */
async function fetched({ name, version, integrity }: CorpusPackage): Promise<string> {
  const folder = join(FOLDER, `${name}@${version}`)
  if (existsSync(folder)) return join(folder, 'package')
  const unpacked = `${folder}.unpacking`
  await mkdir(unpacked, { recursive: true })
  await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', unpacked])
  const tarball = globSync('*.tgz', { cwd: unpacked })[0] ?? ''
  const digest = createHash('sha512')
    .update(await readFile(join(unpacked, tarball)))
    .digest('base64')
  if (`sha512-${digest}` !== integrity) throw new Error(`${name}@${version} has another integrity than test/corpus`)
  await run('tar', ['-xzf', tarball], { cwd: unpacked })
  await rename(unpacked, folder)
  return join(folder, 'package')
}

const BADGES = /badge|shields|travis|codecov|coveralls|fury\.io|opencollective|nodei|snyk|contrib\.rocks/i
const ADDRESS = /(?:https?|ftp|wss?):\/\/(?:[^\s/@]*@)?(?:www\.)?([^\s/:)\]"'<>`|,]*)[^\s<>"'`|)]*/gi
/** What is left out on purpose, in the source: front matter, footnotes, containers, kinds of notes, task boxes, MDX. */
const LEFT_OUT = [
  /^---\n[\s\S]*?\n---\n/,
  /^\[\^[^\]\n]+\]:.*(?:\n(?!\n|\[\^).+)*/gm,
  /^:{3,}[ \t]*[\w-]+/gm,
  /\[![A-Z]+\]/g,
  /^[ \t]*(?:[-*+]|\d+\.)[ \t]+\[[xX]\]/gm,
  /\[\^[^\]\n]+\]/g,
]
const MDX = [/^(?:import|export) .*(?:\n(?!\n).+)*/gm, /<[^>]*>/g, /\{[^{}]*\}/g]

/** How many words of a file a listener does not hear, though a browser displays them. */
export function lostWords({ name, source }: CorpusFile): readonly string[] {
  const mdx = name.endsWith('.mdx')
  let shown = source.replaceAll(/\r\n?/g, '\n')
  for (const pattern of mdx ? [...LEFT_OUT, ...MDX] : LEFT_OUT) shown = shown.replace(pattern, '')
  const html = new HtmlRenderer().render(new Parser().parse(shown))
  const displayed = displayedText(html, { withoutCode: true, withoutImages: BADGES })
    .replaceAll(ADDRESS, ' $1 ')
    .replaceAll(/:[a-z0-9_+-]+:/gi, ' ')
  const heard = new Map<string, number>()
  for (const word of words(readMarkdown(source, { listNumbers: 'skip', math: 'read', mdx }).text)) {
    heard.set(word, (heard.get(word) ?? 0) + 1)
  }
  return words(displayed).filter((word) => {
    const count = heard.get(word) ?? 0
    heard.set(word, count - 1)
    return count <= 0
  })
}
