import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { renderChangelog } from './changelog.ts'
import { type Claims, linkClaims } from './claims.ts'
import { narrate } from './narrated-page.ts'
import { includeSections, sectionBody } from './sections.ts'
import { type SitePage, type SiteSection, siteSections } from './pages.ts'
import { imageAddress, linkToSite, routeAddress } from './site-links.ts'

/** Root of the repository. */
export const ROOT = join(import.meta.dirname, '../../..')

/** Folder of the pages as VitePress reads them. Git ignores it. */
export const STAGED = join(import.meta.dirname, '../.site')

const REPOSITORY = 'https://github.com/svc-audio/svc-audio'

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
 * @throws Error with one line for each link that leads nowhere
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
    const whole = includeSections(linked.text, (path, heading) => {
      const part = linkToSite(sectionBody(read(path), heading), path, targets)
      faults.push(...part.faults)
      return part.text
    })
    const address = `${REPOSITORY}/edit/main/${page.source}`
    const text = withFrontMatter(whole, { editLink: address })
    write(`pages/${page.route}.md`, page.narrated === true ? narrate(text, page.route) : text)
    texts.set(page.route, whole)
    for (const image of linked.images) copyImage(image)
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const changelog = renderChangelog(ROOT)
  write('pages/changelog.md', changelog)
  texts.set('changelog', changelog)
  const all = withChangelog(sections)
  cpSync(join(ROOT, 'apps/docs/pages/icon.svg'), join(STAGED, 'public/icon.svg'))
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

/** Adds fields to the front matter. The edit link of a page is the place of its source, not of the staged copy. */
function withFrontMatter(text: string, fields: Readonly<Record<string, string>>): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return text.startsWith('---\n')
    ? text.replace('---\n', `---\n${lines.join('\n')}\n`)
    : `---\n${lines.join('\n')}\n---\n\n${text}`
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
