// Writes what the page says in an outage, with pictures: pnpm --filter @svc-audio/playground outages
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'
import { launchBrowser, type OpenPage, openPage } from '../test/support/browser.ts'
import { startTestPlayground, type TestPlayground } from '../test/support/playground.ts'

const FOLDER = fileURLToPath(new URL('../../../docs/playground/', import.meta.url))

/** The page must say what happened within this time, in milliseconds. */
const LIMIT = 2000

/** A slow phone: a quarter of the processor, and a network of 400 kbit/s with a round trip of 400 ms. */
const CPU_RATE = 4
const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

/** A situation of the table. */
interface Outage {
  /** Name of the picture. */
  readonly id: string
  readonly what: string
  /** Panel that is open. @default speak */
  readonly panel?: string
  /** Before the clock starts. */
  readonly prepare?: (open: OpenPage) => Promise<void>
  /** Makes the outage. */
  readonly begin: (open: OpenPage, session: CDPSession) => Promise<void>
  /** Whether the clock starts when `begin` is done: when the user sees the page. @default false */
  readonly isFromSight?: boolean
  /** What the page says then. */
  readonly says: RegExp
  /** Ends the outage, and waits until the page works. */
  readonly end?: (open: OpenPage, session: CDPSession) => Promise<void>
}

const playground = await startTestPlayground()
const refused = await startTestPlayground(playground.serviceUrl)
const browser = await launchBrowser()

const banner = (page: Page): ReturnType<Page['getByRole']> => page.locator('.connection-banner')
const calm = async ({ page }: OpenPage): Promise<void> => banner(page).waitFor({ state: 'detached' })

async function works(open: OpenPage): Promise<void> {
  await calm(open)
  await open.page.getByRole('textbox', { name: 'Text' }).fill('It works again.')
  await open.page.getByRole('button', { name: 'Speak', exact: true }).click()
  await open.page.getByText(/^Complete: /).waitFor()
}

async function speakLong({ page }: OpenPage): Promise<void> {
  const text = 'The train to the coast leaves at seven in the morning. '.repeat(60)
  await page.getByRole('textbox', { name: 'Text' }).fill(text)
  await page.getByRole('button', { name: 'Speak', exact: true }).click()
  await page.getByRole('button', { name: 'Pause the speech' }).waitFor()
}

const OUTAGES: readonly Outage[] = [
  {
    id: 'frozen',
    what: 'The service is frozen (`SIGSTOP`)',
    begin: () => playground.signalService('SIGSTOP'),
    says: /takes requests and does not answer/,
    end: async (open) => {
      await playground.signalService('SIGCONT')
      await works(open)
    },
  },
  {
    id: 'killed',
    what: 'The service is killed',
    begin: () => playground.signalService('SIGKILL'),
    says: /service (?:is starting|does not answer)/,
    end: works,
  },
  {
    id: 'killed-stream',
    what: 'The service is killed while a speech plays',
    prepare: speakLong,
    begin: () => playground.signalService('SIGKILL'),
    says: /connection was lost before the response was complete/,
    end: works,
  },
  {
    id: 'wrong-key',
    what: 'The playground has a wrong key, and the page is opened again',
    prepare: async ({ page }) => void (await page.goto(`${refused.url}/speak`)),
    begin: async ({ page }) => {
      await page.reload({ waitUntil: 'commit' })
      await page.locator('h1').waitFor()
    },
    isFromSight: true,
    says: /refuses the key of the playground.*SVC_AUDIO_API_KEY/,
  },
  {
    id: 'offline',
    what: 'The browser is offline, and a panel is opened for the first time',
    begin: async ({ page }, session) => {
      await session.send('Network.emulateNetworkConditions', { ...SLOW_3G, offline: true })
      // The click of a test looks first whether it can, which takes seconds on a slow page.
      await page.locator('.nav a[href="/files"]').dispatchEvent('click')
    },
    says: /offline|playground has stopped/,
    end: async (open, session) => {
      await session.send('Network.emulateNetworkConditions', SLOW_3G)
      await calm(open)
      await open.page.getByRole('heading', { name: 'Files' }).waitFor()
    },
  },
  {
    id: 'two-tabs',
    what: 'A transcript is corrected in another tab',
    panel: 'transcribe',
    prepare: async ({ page, context }) => {
      await page.getByRole('button', { name: 'Sample: one voice' }).click()
      await page.getByText(/^Transcribed /).waitFor()
      const other = await context.newPage()
      await other.goto(page.url())
      await other.locator('.turn-text').first().waitFor()
    },
    begin: async ({ context }) => {
      await context.pages()[1]?.locator('.turn-text').first().fill('Corrected there.')
    },
    says: /^Corrected there\.$/,
  },
]

interface Row extends Outage {
  readonly ms: number
  readonly said: string
  /** Milliseconds from the end of the outage until the page works. */
  readonly back: number | undefined
}

/** Waits until the page says it. @returns the sentence */
async function saidBy(page: Page, says: RegExp): Promise<string> {
  const places = page.locator('.connection-banner p, .failure p:first-child, .turn-text')
  const end = performance.now() + 30_000
  while (performance.now() < end) {
    const texts = await places.evaluateAll((all) =>
      all.map((place) => ('value' in place ? String(place.value) : (place.textContent ?? ''))),
    )
    const found = texts.find((text) => says.test(text))
    if (found !== undefined) return found
    // To look without a pause would slow the page down.
    await page.waitForTimeout(50)
  }
  throw new Error(`The page does not say ${says}. It says: ${await page.locator('main').innerText()}`)
}

async function measure(outage: Outage, { url }: TestPlayground): Promise<Row> {
  const { id, panel = 'speak', prepare, begin, isFromSight = false, says, end } = outage
  const open = await openPage(browser, `${url}/${panel}`)
  open.context.setDefaultTimeout(60_000)
  const { page, context } = open
  try {
    await page.setViewportSize({ width: 960, height: 640 })
    await prepare?.(open)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE })
    await session.send('Network.emulateNetworkConditions', SLOW_3G)
    await page.waitForTimeout(LIMIT)
    const before = performance.now()
    await begin(open, session)
    const start = isFromSight ? performance.now() : before
    const said = await saidBy(page, says)
    const ms = performance.now() - start
    await page.screenshot({ path: `${FOLDER}outage-${id}.png` })
    const over = performance.now()
    await end?.(open, session)
    return { ...outage, ms, said, back: end && performance.now() - over }
  } finally {
    await context.close()
  }
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '–' : `${(ms / 1000).toFixed(1)} s`
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ id, what, said, ms, back }) =>
      `| ${what} | ${said} | ${seconds(ms)} | ${seconds(back)} | [picture](outage-${id}.png) |`,
  )
  return [
    '| What happens | What the page says | After | Works again | |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n')
}

try {
  const rows: Row[] = []
  const [only] = process.argv.slice(2)
  for (const outage of OUTAGES) {
    if (only !== undefined && outage.id !== only) continue
    const row = await measure(outage, playground)
    rows.push(row)
    process.stdout.write(`${row.id}: ${row.ms.toFixed(0)} ms: ${row.said}\n`)
  }
  if (only === undefined) {
    const file = `${FOLDER}outages.md`
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/(?<=<!-- outages -->\n)[^]*(?=<!-- \/outages -->)/, `\n${table(rows)}\n\n`))
  }
  const late = rows.filter(({ ms }) => ms > LIMIT).map(({ id }) => id)
  if (late.length > 0) {
    process.stderr.write(`Later than ${LIMIT} ms: ${late.join(', ')}\n`)
    process.exitCode = 1
  }
} finally {
  await browser.close()
  await refused.close()
  await playground.close()
}
