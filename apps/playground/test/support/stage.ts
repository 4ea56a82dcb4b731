import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchBrowser, type OpenPage, openPage } from './browser.ts'
import { startTestPlayground, type TestPlayground } from './playground.ts'

/** A playground and a browser for the tests of a file, with a new page for each test. */
export interface Stage {
  readonly playground: TestPlayground
  readonly browser: Browser
  readonly open: OpenPage
  readonly page: Page
}

/** Sets the stage for the tests of this file. @param path The panel to open. */
export function setStage(path: string): Stage {
  let playground: TestPlayground
  let browser: Browser
  let open: OpenPage
  beforeAll(async () => {
    ;[playground, browser] = await Promise.all([startTestPlayground(), launchBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await playground?.close()
  })
  beforeEach(async () => {
    open = await openPage(browser, playground.url + path)
  })
  afterEach(async () => {
    await open?.context.close()
  })
  return {
    get playground() {
      return playground
    },
    get browser() {
      return browser
    },
    get open() {
      return open
    },
    get page() {
      return open.page
    },
  }
}
