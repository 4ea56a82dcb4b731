import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { codeOf, type RefusalKind, type RefusalResponse, REFUSALS } from './refusals.ts'

/** Chromium on a page of an app. Dispose it to close it. */
export interface BrowserUploads extends AsyncDisposable {
  /** Sends the upload of a kind by `fetch`. */
  readonly send: (kind: RefusalKind) => Promise<RefusalResponse>
  /** The protocol of the uploads, such as `h2`. */
  protocol(): Promise<string>
}

/**
 * Starts Chromium on a page of an app.
 * @param bytes Size of each file.
 */
export async function openBrowserUploads(url: string, bytes: number): Promise<BrowserUploads> {
  const browser = await launchChromium()
  // Express forbids its page of an unknown path to fetch.
  const page = await browser.newPage({ ignoreHTTPSErrors: true, bypassCSP: true })
  await page.goto(`${url}/nothing`)
  await page.evaluate((size) => {
    const head = new TextEncoder().encode('RIFF\u0000\u0000\u0000\u0000WAVEfmt ')
    Object.assign(globalThis, { upload: new Blob([head, new Uint8Array(size - head.length)], { type: 'audio/wav' }) })
  }, bytes)
  return {
    send: async (kind) => {
      const { status, body } = await page.evaluate(async ({ path, field, announced }) => {
        const file: unknown = Reflect.get(globalThis, 'upload')
        if (!(file instanceof Blob)) throw new Error('The page has no file')
        const form = new FormData()
        form.set(field, file, 'a.wav')
        const whole = new Response(form)
        const init: RequestInit = announced
          ? { body: form }
          : {
              // A stream has no length.
              body: whole.body,
              headers: { 'content-type': whole.headers.get('content-type') ?? '' },
              duplex: 'half',
            }
        try {
          const response = await fetch(path, { method: 'POST', ...init, signal: AbortSignal.timeout(60_000) })
          return { status: response.status, body: await response.text() }
        } catch (error) {
          return { status: 0, body: String(error) }
        }
      }, REFUSALS[kind])
      return { status, code: codeOf(body) }
    },
    // As text: Node's types have no entries of navigations.
    protocol: () => page.evaluate<string>("performance.getEntriesByType('navigation')[0].nextHopProtocol"),
    async [Symbol.asyncDispose]() {
      await browser.close()
    },
  }
}

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/**
 * Starts Chromium from `PLAYWRIGHT_CHROMIUM`, else Debian's Chromium.
 * @param flags Further flags of the command line.
 * @throws Error naming the Debian package if there is no Chromium
 */
export async function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium'
  if (!existsSync(executablePath))
    throw new Error(`Install Chromium: apt-get install chromium. Not found: ${executablePath}`)
  return chromium.launch({ executablePath, args: [...FLAGS, ...flags] })
}
