import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, parse, posix } from 'node:path'
import { type Claims, linkClaims } from './claims.ts'
import { VOICES } from './listen.ts'
import { type SitePage, type SiteSection, siteSections } from './pages.ts'
import { imageAddress, linkToSite, routeAddress } from './site-links.ts'

/** Root of the repository. */
export const ROOT = join(import.meta.dirname, '../../..')

/** Folder of the pages as VitePress reads them. Git ignores it. */
export const STAGED = join(import.meta.dirname, '../.site')

const REPOSITORY = 'https://github.com/svc-audio/svc-audio'

/** A section of another page stands here. */
const DIRECTIVE = /^<!-- section: (?<path>\S+?)#(?<heading>.+?) -->$/gm

/** VitePress reads a file for it, also in code. */
const INCLUDE = /<!--\s*@include:/

/** A staged page with its title. */
export interface StagedPage extends SitePage {
  readonly title: string
}

/** A section with titles on all pages. */
export interface StagedSection extends SiteSection {
  readonly pages: readonly StagedPage[]
}

/**
 * Writes every page of the site to {@link STAGED} with its links converted, the images that pages show, the changelog,
 * and `llms.txt`.
 * @throws Error with one line for each link that leads nowhere, and each comment that VitePress would replace by a file
 */
export function stageSite(): readonly StagedSection[] {
  const sections = readSections()
  const pages = sections.flatMap((section) => section.pages)
  const targets = {
    routes: new Map(pages.map(({ source, route }) => [source, route])),
    kindOf,
    repository: REPOSITORY,
  }
  rmSync(STAGED, { recursive: true, force: true })
  const faults: string[] = []
  const texts = new Map<string, string>()
  const claims: Claims = JSON.parse(read('docs/claims.json'))
  for (const page of pages) {
    const proved = linkClaims(read(page.source), claims[page.source] ?? [], REPOSITORY)
    const linked = linkToSite(proved, page.source, targets)
    faults.push(...linked.faults)
    if (INCLUDE.test(proved))
      faults.push(`${page.source}: VitePress would include a file here: write @include without <!--`)
    const whole = includeSections(linked.text, (path, heading) => {
      const part = linkToSite(sectionBody(read(path), heading), path, targets)
      faults.push(...part.faults)
      return part.text
    })
    const text = withEditLink(whole, `${REPOSITORY}/edit/main/${page.source}`)
    write(`pages/${page.route}.md`, page.narrated === true ? narrate(text, page.route) : text)
    texts.set(page.route, whole)
    for (const image of linked.images) copyImage(image)
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const changelog = renderChangelog()
  write('pages/changelog.md', changelog)
  texts.set('changelog', changelog)
  const all = withChangelog(sections)
  cpSync(join(ROOT, 'apps/docs/pages/icon.svg'), join(STAGED, 'public/icon.svg'))
  cpSync(VOICES, join(STAGED, 'public/voices'), { recursive: true })
  write('public/llms.txt', listForModels(all))
  for (const [route, text] of texts) write(`public/${route}.md`, text)
  return all
}

/**
 * Pages whose claims need a proof. Decisions and pages for contributors say what to do, and the interface is the contract:
 * each of its rules has a test.
 */
export function claimPages(): readonly string[] {
  return readSections()
    .filter(({ title }) => title !== 'Internals')
    .flatMap(({ pages }) => pages.map(({ source }) => source))
    .filter((source) => source !== 'docs/interface.md')
}

/** Addresses of the pages that are read aloud. */
export function narratedPages(): readonly string[] {
  return readSections().flatMap(({ pages }) =>
    pages.flatMap(({ narrated, route }) => (narrated === true ? [route] : [])),
  )
}

/** Names of the pages of a folder, without its README. */
function pageNames(folder: string): readonly string[] {
  return globSync('*.md', { cwd: join(ROOT, folder) })
    .map((file) => parse(file).name)
    .filter((name) => name !== 'README')
    .toSorted()
}

function publishedPackages(): readonly string[] {
  const manifests = globSync('packages/*/package.json', { cwd: ROOT }).toSorted()
  const published = manifests.filter((path) => {
    const { private: hidden }: { readonly private?: boolean } = JSON.parse(read(path))
    return hidden !== true
  })
  return published.map((path) => parse(dirname(path)).base)
}

function readSections(): readonly StagedSection[] {
  const sections = siteSections({
    recipes: pageNames('docs/recipes'),
    decisions: pageNames('docs/decisions'),
    packages: publishedPackages(),
    packagePages: (name) => pageNames(`packages/${name}/docs`),
  })
  return sections.map(({ title, pages }) => ({ title, pages: pages.map(withTitle) }))
}

function withTitle(page: SitePage): StagedPage {
  return { ...page, title: page.title ?? firstHeading(page.source) }
}

/** The changelog has no file: it is made from the changesets. */
function withChangelog(sections: readonly StagedSection[]): readonly StagedSection[] {
  const changelog: StagedPage = { source: '.changeset', route: 'changelog', title: 'Changelog' }
  return sections.map((section) =>
    section.title === 'Reference' ? { ...section, pages: [...section.pages, changelog] } : section,
  )
}

function firstHeading(source: string): string {
  const heading = /^# (.+)$/m.exec(read(source))?.[1]
  if (heading === undefined) throw new Error(`${source} has no heading of level 1`)
  return heading.replaceAll('`', '')
}

/** `llms.txt`: the pages as Markdown, by section. */
function listForModels(sections: readonly StagedSection[]): string {
  const lists = sections.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${routeAddress(page.route).replace(/\/$/, '/index')}.md)`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# svc-audio\n\n> Speech and transcription over HTTP for TypeScript: one client, adapters for frameworks, and a service that you can host yourself.\n\nEvery page is Markdown at its address with \`.md\`.\n\n${lists.join('\n')}`
}

/** Adds the edit link to the front matter: the place of the source, not of the staged copy. */
function withEditLink(text: string, address: string): string {
  const field = `editLink: ${JSON.stringify(address)}\n`
  return text.startsWith('---\n') ? text.replace('---\n', `---\n${field}`) : `---\n${field}---\n\n${text}`
}

function copyImage(path: string): void {
  const to = join(STAGED, 'public', imageAddress(path))
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(ROOT, path), to)
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  const full = join(ROOT, path)
  if (!existsSync(full)) return undefined
  return statSync(full).isDirectory() ? 'folder' : 'file'
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function write(path: string, text: string): void {
  const to = join(STAGED, path)
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, text)
}

/**
 * Adds a player below the first heading of a page. The page imports its own narration.
 * @throws Error for a page without a heading of level 1
 */
export function narrate(markdown: string, route: string): string {
  const file = `./${posix.basename(route)}.md?narrate`
  const script = `<script setup>\nimport narration from '${file}'\n</script>\n`
  const heading = /^# .+$/m.exec(markdown)
  if (heading === null) throw new Error(`${route} has no heading of level 1: it cannot be narrated`)
  const end = heading.index + heading[0].length
  const player = '<PageNarration :narration="narration" />'
  return `${markdown.slice(0, end)}\n\n${script}\n${player}\n${markdown.slice(end)}`
}

/**
 * Returns the body of a section of a Markdown page: from below its heading to the next heading of its level or above.
 * @throws Error for a page without the heading
 */
export function sectionBody(markdown: string, heading: string): string {
  const lines = markdown.split('\n')
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading)
  if (start === -1) throw new Error(`there is no heading "${heading}"`)
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0
  let fenced = false
  const end = lines.findIndex((line, index) => {
    if (index <= start) return false
    if (line.startsWith('```')) fenced = !fenced
    const marks = /^(#+) /.exec(line)?.[1]
    return !fenced && marks !== undefined && marks.length <= level
  })
  return lines
    .slice(start + 1, end === -1 ? undefined : end)
    .join('\n')
    .trim()
}

/**
 * Replaces `<!-- section: path#Heading -->` by the body of that section, so that a table stands in one place.
 *
 * @param bodyOf The body by path and heading
 */
export function includeSections(markdown: string, bodyOf: (path: string, heading: string) => string): string {
  return markdown.replaceAll(DIRECTIVE, (_whole, path: string, heading: string) => bodyOf(path, heading))
}

/** A change of a package that no release has yet. */
interface WaitingChange {
  readonly packages: readonly { readonly name: string; readonly bump: string }[]
  readonly text: string
}

/** Reads a changeset: front matter with the packages, then the text. @throws Error for a file without front matter */
export function readChangeset(file: string): WaitingChange {
  const [, head, text] = /^---\n([^]*?)\n---\n([^]*)$/.exec(file) ?? []
  if (head === undefined || text === undefined) throw new Error('A changeset begins with its packages between ---')
  const packages = Array.from(head.matchAll(/^['"]?(?<name>[^'":\n]+)['"]?: *(?<bump>\w+)$/gm), ({ groups }) => ({
    name: groups?.['name'] ?? '',
    bump: groups?.['bump'] ?? '',
  }))
  return { packages, text: text.trim() }
}

/** One page: what no release has yet by package, then the changelogs of the released packages. */
function renderChangelog(): string {
  const waiting = globSync('.changeset/*.md', { cwd: ROOT })
    .filter((path) => !path.endsWith('README.md'))
    .toSorted()
    .map((path) => readChangeset(read(path)))
  const folders = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: ROOT }).toSorted()
  const parts = folders.flatMap((path) => {
    const { name, private: hidden }: { readonly name: string; readonly private?: boolean } = JSON.parse(read(path))
    if (hidden === true) return []
    const changelog = path.replace('package.json', 'CHANGELOG.md')
    const released = existsSync(join(ROOT, changelog)) ? read(changelog).replace(/^# .*\n/, '') : ''
    const body = `${renderWaiting(name, waiting)}${released}`.trim()
    return body === '' ? [] : [`## ${name}\n\n${body}\n`]
  })
  return `# Changelog\n\nEvery change of a package, for its users. [Versions and what we promise](/releases) says what a version number means.\n\n${parts.join('\n')}`
}

/** A change that names several packages stands at the first of them, so that it is read once. */
function renderWaiting(name: string, waiting: readonly WaitingChange[]): string {
  const own = waiting.filter(({ packages }) => packages[0]?.name === name)
  if (own.length === 0) return ''
  const items = own.map(({ packages, text }) => {
    const others = packages.slice(1).map((one) => `\`${one.name}\``)
    const also = others.length === 0 ? '' : ` (also ${others.join(', ')})`
    return `- ${text.replaceAll('\n', '\n  ')}${also}`
  })
  return `### Next release\n\n${items.join('\n')}\n\n`
}
