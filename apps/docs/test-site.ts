// Builds the site and checks it as a reader gets it: links and anchors, chunks that are JavaScript, pages that write nothing
// to the console, weight, accessibility in both themes on a desktop and a phone, a search whose guides lead, and a player that
// plays. Needs Chromium. `--screenshots <folder>` stores a picture of each checked
// page, and `--built` takes the site of the last build.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type ConsoleMessage, type Page } from 'playwright-core'
import { build } from 'vitepress'

const ROOT = import.meta.dirname
const DIST = join(ROOT, 'dist')

/** Pages that readers see first, one for each kind of page. */
const MAIN_PAGES = [
  '/',
  '/start/',
  '/start/express',
  '/concepts',
  '/errors',
  '/migrate/openai',
  '/packages/core/',
  '/api/core/index/classes/ApiError',
  '/self-hosting/operations',
  '/performance',
  '/changelog',
]

const SCREENS = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 390, height: 844 },
] as const

/** Plain words of operators and developers, with the guides that may lead. */
const SEARCHES: ReadonlyMap<string, RegExp> = new Map([
  ['verify webhook', /^\/self-hosting\/api-behaviour#verify-a-webhook$/],
  ['clone voice', /^\/faq#can-i-clone-a-voice$/],
  ['maximum file size', /^\/faq#what-is-the-maximum-file-size$/],
  ['cost', /^\/(?:faq#what-does-it-cost|concepts#errors-and-cost)$/],
  ['docker', /^\/self-hosting\/container\b/],
  ['kubernetes', /^\/self-hosting\/cluster\b/],
  ['backup', /^\/self-hosting\/operations#backup$/],
  ['upgrade', /^\/self-hosting\/(?:container|cluster|operations)#upgrades?$/],
  ['disk full', /^\/self-hosting\/operations#a-full-disk$/],
  ['health check', /^\/self-hosting\/operations#health$/],
  ['memory', /^\/self-hosting\/operations#memory$/],
  ['tls', /^\/guides\/tls-proxy\b/],
  ['api key', /^\/faq#how-do-i-make-an-api-key$/],
])

/** Pages that are opened at once. */
const PAGES_AT_ONCE = 4

/** Bytes of a page with everything that it loads, without its audio. */
const MAX_PAGE_BYTES = 300_000

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.mp3': 'audio/mpeg',
  '.vtt': 'text/vtt',
  '.json': 'application/json',
}

const TEXT = /^text\/|json|svg/

/** Compiles modules as `node --check` does, in one process. Reads their paths, prints a line for each fault. */
const CHECK = `
import { readFileSync } from 'node:fs'
import { SourceTextModule } from 'node:vm'
for (const path of readFileSync(0, 'utf8').split('\\n')) {
  try {
    new SourceTextModule(readFileSync(path, 'utf8'))
  } catch (error) {
    console.log(path + ': ' + error.message)
  }
}`

await main()

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { screenshots: { type: 'string' }, built: { type: 'boolean' } } })
  if (values.screenshots !== undefined) mkdirSync(values.screenshots, { recursive: true })

  if (values.built !== true) await build(ROOT)
  const pages = largestPages(DIST)
  const faults = [...findDeadLinks(DIST), ...findBrokenChunks(DIST)]
  await using site = await serveFolder(DIST)
  faults.push(...(await checkInBrowser(site.url, { screenshots: values.screenshots, pages })))

  for (const fault of faults) console.error(fault)
  console.log(`${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
}

/**
 * Finds links between pages of a built site that lead to no page, and anchors that no heading has.
 * @returns One line for each page and link
 */
function findDeadLinks(dist: string): string[] {
  const pages = globSync('**/*.html', { cwd: dist }).filter((path) => path !== '404.html')
  const html = new Map(pages.map((path) => [addressOf(path), readFileSync(join(dist, path), 'utf8')]))
  const anchors = new Map(
    [...html].map(([address, text]) => [address, new Set(Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id))]),
  )
  return [...html].flatMap(([address, text]) => {
    const links = new Set(Array.from(text.matchAll(/<a [^>]*?href="([^"]+)"/g), ([, href = '']) => href))
    return [...links].flatMap((href) => {
      const [path = '', hash] = href.replaceAll('&amp;', '&').split('#', 2)
      if (/^(?:[a-z]+:|\/\/)/.test(path)) return []
      const target = path === '' ? address : new URL(path, `http://site${address}`).pathname
      const ids = anchors.get(target)
      if (ids === undefined) return existsSync(join(dist, target)) ? [] : [`${address}: ${href} leads nowhere`]
      const id = hash === undefined ? '' : decodeURIComponent(hash)
      return id === '' || ids.has(id) ? [] : [`${address}: ${href} has no such heading`]
    })
  })
}

/** Finds chunks that are no JavaScript. @returns One line for each */
function findBrokenChunks(dist: string): string[] {
  const paths = globSync('**/*.js', { cwd: dist })
  const args = ['--experimental-vm-modules', '--no-warnings', '--input-type=module', '--eval', CHECK]
  const printed = execFileSync(process.execPath, args, { cwd: dist, input: paths.join('\n'), encoding: 'utf8' })
  console.log(`${paths.length} chunks`)
  return printed.split('\n').filter((line) => line !== '')
}

/** Addresses of all pages, those with the most HTML first. */
function largestPages(dist: string): readonly string[] {
  return globSync('**/*.html', { cwd: dist })
    .toSorted((left, right) => statSync(join(dist, right)).size - statSync(join(dist, left)).size)
    .map(addressOf)
}

/** Address of a page as its links have it: `start/index.html` is `/start/`. */
function addressOf(path: string): string {
  return `/${path.replace(/\.html$/, '').replace(/(?:^|(?<=\/))index$/, '')}`
}

/** Serves the built site as a static host does: clean addresses, compressed text, ranges of audio. */
async function serveFolder(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => respond(folder, request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function respond(folder: string, { url = '/', headers }: IncomingMessage, response: ServerResponse): void {
  const path = join(folder, decodeURIComponent(new URL(url, 'http://site').pathname))
  const file = [path, `${path}.html`, join(path, 'index.html')].find((one) => existsSync(one) && statSync(one).isFile())
  if (file === undefined) {
    response.writeHead(404).end()
    return
  }
  const type = TYPES[extname(file)] ?? 'application/octet-stream'
  if (TEXT.test(type)) {
    const body = gzipSync(readFileSync(file))
    response
      .writeHead(200, { 'content-type': type, 'content-encoding': 'gzip', 'content-length': body.length })
      .end(body)
    return
  }
  const { size } = statSync(file)
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const start = Number(from)
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  const range = headers.range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }
  response.writeHead(headers.range === undefined ? 200 : 206, {
    'content-type': type,
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    ...range,
  })
  createReadStream(file, { start, end }).pipe(response)
}

/** Options of {@link checkInBrowser}. */
interface BrowserCheckOptions {
  /** Folder for a picture of each page, screen and theme. @default none */
  readonly screenshots?: string | undefined
  /** Addresses of all pages, the largest first. */
  readonly pages: readonly string[]
}

/** The part of an axe result that is printed. */
interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/**
 * Opens every main page in both themes, on a desktop and a phone.
 * @returns One line for each fault
 */
async function checkInBrowser(url: string, { screenshots, pages }: BrowserCheckOptions): Promise<string[]> {
  const executablePath = process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium'
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
  })
  try {
    const faults: string[] = []
    for (const screen of SCREENS) {
      for (const theme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ viewport: screen, colorScheme: theme })
        const page = await context.newPage()
        for (const path of MAIN_PAGES) {
          const found = await checkPage(page, `${url}${path}`)
          faults.push(...found.map((fault) => `${path} (${screen.name}, ${theme}): ${fault}`))
          if (screenshots === undefined) continue
          const name = path.replaceAll('/', '_').replace(/^_/, '') || 'index'
          await page.screenshot({ path: join(screenshots, `${name}-${screen.name}-${theme}.png`) })
        }
        await context.close()
      }
    }
    faults.push(
      ...(await checkPlayer(browser, url)),
      ...(await checkSearch(browser, url)),
      // The largest ones besides the main pages.
      ...(await checkWeights(browser, url, pages.slice(0, 8))),
      ...(await checkConsoles(browser, url, pages)),
    )
    return faults
  } finally {
    await browser.close()
  }
}

async function checkPage(page: Page, address: string): Promise<string[]> {
  const faults: string[] = []
  const onError = (error: Error): void => void faults.push(`error: ${error.message}`)
  const onConsole = (message: ConsoleMessage): void => void faults.push(`console: ${message.text()}`)
  page.on('pageerror', onError)
  page.on('console', onConsole)
  await page.goto(address, { waitUntil: 'load' })
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  if (wide > 0) faults.push(`the page is ${wide} pixels wider than the screen`)
  await page.evaluate(AXE)
  const violations = await page.evaluate<readonly Violation[]>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] }).then(({ violations }) => violations)",
  )
  faults.push(...violations.map(({ id, nodes }) => `axe ${id}: ${nodes[0]?.html.slice(0, 160)} (${nodes.length})`))
  page.off('pageerror', onError)
  page.off('console', onConsole)
  return faults
}

/** The landing page speaks: a click on play starts the audio. */
async function checkPlayer(browser: Browser, url: string): Promise<string[]> {
  const page = await browser.newPage()
  await page.goto(`${url}/`, { waitUntil: 'networkidle' })
  const player = page.locator('narration-player')
  await player.getByRole('button').first().click()
  const marked = page.locator('[data-narration-current]')
  try {
    await marked.first().waitFor({ timeout: 20_000 })
    return []
  } catch {
    return ['/: play starts no audio']
  } finally {
    await page.close()
  }
}

/** Searches for plain words: a guide leads. */
async function checkSearch(browser: Browser, url: string): Promise<string[]> {
  const faults: string[] = []
  for (const [words, guide] of SEARCHES) {
    const page = await browser.newPage()
    try {
      await page.goto(`${url}/faq`, { waitUntil: 'networkidle' })
      await page.keyboard.press('Control+k')
      await page.getByRole('searchbox').fill(words)
      const first = page.locator('a.result').first()
      await first.waitFor({ timeout: 60_000 })
      const { pathname, hash } = new URL((await first.getAttribute('href')) ?? '', url)
      const address = pathname + hash
      console.log(`${words}: ${address}`)
      if (!guide.test(address)) faults.push(`the search for "${words}" leads to ${address}`)
    } catch {
      faults.push(`the search finds nothing about "${words}"`)
    } finally {
      await page.close()
    }
  }
  return faults
}

/** Opens every page, and waits until it is alive. It writes nothing to the console. */
async function checkConsoles(browser: Browser, url: string, pages: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  const waiting = [...pages]
  const work = async (): Promise<void> => {
    const page = await browser.newPage()
    let path: string | undefined
    page.on('pageerror', ({ message }) => void faults.push(`${path}: error: ${message}`))
    page.on('console', (message) => void faults.push(`${path}: console: ${message.text()}`))
    for (path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      await page.goto(url + path, { waitUntil: 'load' })
      await page.waitForFunction("document.querySelector('#app').__vue_app__")
    }
    await page.close()
  }
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, work))
  console.log(`${pages.length} pages opened`)
  return faults
}

/** The main pages and the largest ones, with all that they load at their start, compressed as a host sends it. */
async function checkWeights(browser: Browser, url: string, largest: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const path of new Set([...MAIN_PAGES, ...largest])) {
    // A context of its own: nothing is cached.
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${url}${path}`, { waitUntil: 'networkidle' })
    const sizes = await page.evaluate(() =>
      performance
        .getEntries()
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        .map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize })),
    )
    await context.close()
    const bytes = sizes.filter(({ name }) => !name.endsWith('.mp3')).reduce((sum, one) => sum + one.bytes, 0)
    if (bytes > MAX_PAGE_BYTES) faults.push(`${path}: ${Math.round(bytes / 1000)} KB, at most ${MAX_PAGE_BYTES / 1000}`)
  }
  return faults
}
