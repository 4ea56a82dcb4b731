import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowserUploads } from './browser-uploads.ts'
import { type Certificate, certificate, PROXIES, type ProxyKind, startHttp2Proxy, startProxy } from './proxies.ts'
import {
  countRefusals,
  everyRefusal,
  type RefusalResponse,
  type RefusalCount,
  type RefusalKind,
  refusedUpload,
  writeLongFile,
} from './refusals.ts'

export { startProxy } from './proxies.ts'
export { refusedUpload, writeLongFile } from './refusals.ts'

/** Uploads of each kind. `REFUSALS=50` sends more. */
const TIMES = Number(process.env['REFUSALS'] ?? 3)
const FILE_BYTES = 60_000_000

/**
 * Proxies whose client does not send `Expect: 100-continue`. After an early response, Go's HTTP server, on which Caddy
 * is built, gives a client 500 ms to read it. A client that sent this header gets a reset with the response instead.
 * The app's connection is open until then, so no app can prevent it.
 */
const WITHOUT_EXPECT: ReadonlySet<ProxyKind> = new Set(['caddy'])

/** Largest file of the route `/small` of a {@link RefusingApp}, in bytes. */
export const SMALL_BYTES = 10_000_000

/**
 * A running app that refuses uploads.
 *
 * | Route           | Refuses                                             |
 * | --------------- | --------------------------------------------------- |
 * | `POST /`        | nothing: it transcribes the field `file`            |
 * | `POST /small`   | more than {@link SMALL_BYTES}                       |
 * | `POST /video`   | what is no video                                    |
 * | `POST /guarded` | every caller with 401, before anything reads a body |
 * | `POST /quota`   | every tenant with 402, by an option of the app      |
 */
export interface RefusingApp {
  readonly url: string
  close(): Promise<void>
}

/** How the apps of a framework start. */
export interface RefusalSuite {
  /** Name of the framework in names of tests and in reports. */
  readonly framework: string
  readonly start: () => Promise<RefusingApp>
  /** The same app over the framework's own HTTP/2, if it has one. */
  readonly startHttp2?: (secure: Certificate) => Promise<RefusingApp>
}

/** Tests that a framework's refusals arrive behind every proxy, and in Chromium over HTTP/2, every time. */
export function describeRefusals({ framework, start, startHttp2 }: RefusalSuite): void {
  describe(`a refused upload to ${framework} is answered every time and for every reason`, () => {
    let folder: string
    let file: string
    let app: RefusingApp
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-audio-refusals-'))
      file = join(folder, 'long.wav')
      await writeLongFile(file, FILE_BYTES)
      app = await start()
    })
    afterAll(async () => {
      await app?.close()
      await rm(folder, { recursive: true, force: true })
    })
    const port = (): number => Number(new URL(app.url).port)

    test.each(PROXIES)('behind %s', async (front) => {
      await using proxy = await startProxy(front, port())
      const expects = !WITHOUT_EXPECT.has(front)
      const send = (kind: RefusalKind): Promise<RefusalResponse> =>
        refusedUpload(proxy.url, kind, file, { expect: expects })
      const count = await countRefusals({ framework, front }, TIMES, send)
      expect(count).toEqual(everyRefusal(TIMES))
    })

    test('to Chromium over HTTP/2 behind nginx', async () => {
      await using proxy = await startHttp2Proxy(port())
      const seen = await inBrowser({ framework, front: 'Chromium, HTTP/2, nginx' }, proxy.url)
      expect(seen).toEqual({ protocol: 'h2', count: everyRefusal(TIMES) })
    })

    if (startHttp2 === undefined) return
    test('to Chromium over its own HTTP/2', async () => {
      const own = await startHttp2(await certificate(folder))
      const seen = await inBrowser({ framework, front: 'Chromium, HTTP/2' }, own.url)
      await own.close()
      expect(seen).toEqual({ protocol: 'h2', count: everyRefusal(TIMES) })
    })
  })
}

/** Sends uploads of every kind from Chromium. */
async function inBrowser(
  app: { readonly framework: string; readonly front: string },
  url: string,
): Promise<{ readonly protocol: string; readonly count: RefusalCount }> {
  await using browser = await openBrowserUploads(url, FILE_BYTES)
  return { protocol: await browser.protocol(), count: await countRefusals(app, TIMES, browser.send) }
}
